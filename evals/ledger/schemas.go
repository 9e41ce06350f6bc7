package ledger

import "encoding/json"

var (
	noSchema       = json.RawMessage(`{"type":"object","properties":{}}`)
	findSchema     = json.RawMessage(`{"type":"object","properties":{"customer":{"type":"string","description":"The customer's exact name"},"status":{"type":"string","enum":["paid","unpaid"]}},"required":["customer"]}`)
	rateSchema     = json.RawMessage(`{"type":"object","properties":{"to":{"type":"string","description":"A currency's code, such as USD"}},"required":["to"]}`)
	reminderSchema = json.RawMessage(`{"type":"object","properties":{"customer":{"type":"string"},"text":{"type":"string"}},"required":["customer"]}`)
)

// untidySchema is as many apps have them: alternatives at the top, two types in one
// field, a field without a type, a reference, a needed field that is nowhere, a name
// that no model API takes, words of an old draft.
var untidySchema = json.RawMessage(`{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "anyOf": [{"required": ["invoice"]}, {"required": ["customer"]}],
  "properties": {
    "invoice": {"type": ["string", "integer"], "description": "The invoice's number"},
    "customer": {},
    "amount": {"$ref": "#/definitions/money"},
    "date": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": null},
    "note (optional)": {"type": "string", "required": false}
  },
  "definitions": {"money": {"oneOf": [{"type": "number"}, {"type": "string", "pattern": "^[0-9]+([.,][0-9]{2})?$"}]}},
  "required": ["amount", "currency"]
}`)
