package markdown

import (
	"strings"
	"sync"
)

// The strings and comments that many languages share.
var (
	double    = quote{`"`, `"`, true, false}
	single    = quote{`'`, `'`, true, false}
	rawSingle = quote{`'`, `'`, false, true}
	longDbl   = quote{`"`, `"`, true, true}
	backtick  = quote{"`", "`", false, true}
	template  = quote{"`", "`", true, true}
	triple    = []quote{{`"""`, `"""`, true, true}, {`'''`, `'''`, true, true}}
	slashes   = []string{"//"}
	hashes    = []string{"#"}
	slashStar = [][2]string{{"/*", "*/"}}
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// languages are those that are coloured, by the names that fences give them. The
// table is made on first use and does not change.
var languages = sync.OnceValue(func() map[string]*language {
	byName := map[string]*language{}
	add := func(names string, g language) {
		for n := range strings.FieldsSeq(names) {
			byName[n] = &g
		}
	}
	addCurly(add)
	addScripts(add)
	addData(add)
	return byName
})

// languageOf finds a language by what follows a fence: its first word, without
// what some tools put behind it. nil: it is not known.
func languageOf(info string) *language {
	info = strings.ToLower(info)
	end := 0
	for end < len(info) && (info[end] >= 'a' && info[end] <= 'z' || isDigit(info[end]) || strings.IndexByte("+#-_.", info[end]) >= 0) {
		end++
	}
	w := strings.TrimPrefix(info[:end], ".")
	if g := languages()[w]; g != nil {
		return g
	}
	if i := strings.LastIndexByte(w, '.'); i >= 0 { // a file's name
		return languages()[w[i+1:]]
	}
	return nil
}

const cWords = "break case const continue default do else enum extern for goto if inline register return sizeof static struct switch typedef union volatile while"
const cTypes = "bool char double float int long short signed size_t ssize_t unsigned void int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t FILE"

// addCurly adds the languages that write blocks in braces.
func addCurly(add func(string, language)) {
	add("go golang", language{line: slashes, block: slashStar, quotes: []quote{double, single, backtick},
		keywords: set("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota"),
		types:    set("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr")})
	add("c h", language{line: slashes, block: slashStar, quotes: []quote{double, single}, directs: true, keywords: set(cWords + " NULL true false"), types: set(cTypes)})
	add("cpp c++ cc cxx hpp hh objc objective-c m cuda", language{line: slashes, block: slashStar, quotes: []quote{{`R"(`, `)"`, false, true}, double, single}, directs: true,
		keywords: set(cWords + " alignas auto catch class co_await co_return co_yield concept consteval constexpr const_cast decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept nullptr operator override private protected public reinterpret_cast requires static_assert static_cast template this throw true false try typeid typename using virtual id self super nil YES NO"),
		types:    set(cTypes + " string vector map set wchar_t char8_t char16_t char32_t NSString NSArray")})
	add("java groovy gradle", language{line: slashes, block: slashStar, quotes: append(triple[:1:1], double, single), directs: true,
		keywords: set("abstract assert break case catch class const continue default do else enum extends final finally for goto if implements import instanceof interface native new package permits private protected public record return sealed static strictfp super switch synchronized this throw throws transient try var volatile while yield true false null def"),
		types:    set("boolean byte char double float int long short void String Object Integer Long List Map Set")})
	add("kotlin kt kts", language{line: slashes, block: slashStar, quotes: append(triple[:1:1], double, single), directs: true,
		keywords: set("abstract actual annotation as break by catch class companion const constructor continue crossinline data do else enum expect external final finally for fun get if import in infix init inline inner interface internal is lateinit noinline object open operator out override package private protected public reified return sealed set super suspend tailrec this throw try typealias val var vararg when where while true false null"),
		types:    set("Any Boolean Byte Char Double Float Int Long Nothing Short String Unit List Map Set")})
	add("scala sc", language{line: slashes, block: slashStar, quotes: append(triple[:1:1], double), directs: true,
		keywords: set("abstract case catch class def do else enum extends extension final finally for given if implicit import lazy match new object override package private protected return sealed super then this throw trait try type using val var while with yield true false null"),
		types:    set("Any Boolean Double Float Int Long Option Seq String Unit List Map")})
	add("js javascript mjs cjs jsx", language{line: slashes, block: slashStar, quotes: []quote{double, single, template}, inName: "$", regex: true, directs: true, keywords: set(jsWords), types: set(jsTypes)})
	add("ts typescript tsx mts cts", language{line: slashes, block: slashStar, quotes: []quote{double, single, template}, inName: "$", regex: true, directs: true,
		keywords: set(jsWords + " abstract as asserts declare enum implements infer interface is keyof namespace override private protected public readonly satisfies type unique"),
		types:    set(jsTypes + " any bigint boolean never number object string symbol unknown void Record Partial")})
	add("rust rs", language{line: slashes, block: slashStar, quotes: []quote{{`r#"`, `"#`, false, true}, {`r"`, `"`, false, true}, longDbl, {`'\`, `'`, false, false}},
		keywords: set("as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait type union unsafe use where while true false"),
		types:    set("bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize String Vec Option Result Box Some None Ok Err")})
	add("swift", language{line: slashes, block: slashStar, quotes: append(triple[:1:1], double), directs: true,
		keywords: set("actor any as async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate for func guard if import in init inout internal is let mutating nil open operator override private protocol public repeat rethrows return self Self some static struct subscript super switch throw throws try typealias var where while true false"),
		types:    set("Any Bool Character Double Float Int String Void Array Dictionary Set Optional")})
	add("cs csharp c#", language{line: slashes, block: slashStar, quotes: []quote{{`@"`, `"`, false, true}, {`$"`, `"`, true, false}, double, single}, directs: true,
		keywords: set("abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is lock namespace new null operator out override params partial private protected public readonly record ref required return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using var virtual volatile when where while with yield true false"),
		types:    set("bool byte char decimal double dynamic float int long nint object sbyte short string uint ulong ushort void")})
	add("dart", language{line: slashes, block: slashStar, quotes: append(append([]quote{}, triple...), double, single), directs: true,
		keywords: set("abstract as assert async await base break case catch class const continue covariant default deferred do else enum export extends extension external factory final finally for get if implements import in interface is late library mixin new null on operator part required rethrow return sealed set show static super switch sync this throw try typedef var when while with yield true false"),
		types:    set("bool double dynamic int num void String List Map Set Future Object")})
	add("php", language{line: []string{"//", "#"}, block: slashStar, quotes: []quote{longDbl, {`'`, `'`, true, true}}, sigil: '$', anyCase: true,
		keywords: set("abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new null or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield true false php"),
		types:    set("bool float int iterable mixed never object string void")})
	add("zig", language{line: slashes, quotes: []quote{double, single}, directs: true,
		keywords: set("align and anytype asm async await break catch comptime const continue defer else enum errdefer error export extern fn for if inline noalias null or orelse packed pub resume return struct suspend switch test threadlocal try undefined union unreachable usingnamespace var volatile while true false"),
		types:    set("anyerror anyopaque bool f16 f32 f64 i8 i16 i32 i64 isize type u8 u16 u32 u64 usize void noreturn")})
	add("proto protobuf", language{line: slashes, block: slashStar, quotes: []quote{double, single},
		keywords: set("enum extend import message oneof option optional package public repeated required reserved returns rpc service stream syntax true false"),
		types:    set("bool bytes double fixed32 fixed64 float int32 int64 map sint32 sint64 string uint32 uint64")})
	add("graphql gql", language{line: hashes, quotes: append(triple[:1:1], double), sigil: '$', directs: true,
		keywords: set("directive enum extend fragment implements input interface mutation on query scalar schema subscription type union true false null"),
		types:    set("Boolean Float ID Int String")})
	add("hcl terraform tf", language{line: []string{"#", "//"}, block: slashStar, quotes: []quote{double}, keys: "=",
		keywords: set("data dynamic for for_each if in locals module output provider resource terraform variable true false null")})
	add("css scss sass less", language{line: slashes, block: slashStar, quotes: []quote{double, single}, inName: "-", keys: ":", directs: true, hexes: true, sigil: '$',
		keywords: set("important")})
}

const jsWords = "async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while with yield true false null undefined"
const jsTypes = "Array Boolean Date Error Map Number Object Promise RegExp Set String Symbol"

// addScripts adds the languages that comment with # or -- or ;.
func addScripts(add func(string, language)) {
	add("py python python3 py3 pyi starlark bzl", language{line: hashes, quotes: pythonQuotes(), directs: true,
		keywords: set("and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield True False None"),
		types:    set("bool bytes dict float frozenset int list object set str tuple type")})
	add("sh bash shell zsh ksh fish", language{line: hashes, hash: true, quotes: []quote{longDbl, rawSingle}, sigil: '$', inName: "-",
		keywords: set("alias break case continue declare do done elif else end esac eval exec exit export fi for function if in local read readonly return select set shift source switch then trap unset until while cd echo printf test")})
	add("rb ruby", language{line: hashes, quotes: []quote{longDbl, {`'`, `'`, true, true}}, inName: "?!", sigil: '@', regex: true,
		keywords: set("alias and attr_accessor attr_reader begin break case class def defined? do else elsif end ensure extend false for if in include module next nil not or private protected public raise redo require require_relative rescue retry return self super then true undef unless until when while yield")})
	add("pl perl pm", language{line: hashes, hash: true, quotes: []quote{longDbl, {`'`, `'`, true, true}}, sigil: '$',
		keywords: set("and cmp die do else elsif eq for foreach ge gt if last le local lt my ne next no not or our package print push require return say sub undef unless until use while xor")})
	add("lua", language{line: []string{}, block: [][2]string{{"--[[", "]]"}, {"--", "\n"}}, quotes: []quote{{"[[", "]]", false, true}, double, single},
		keywords: set("and break do else elseif end false for function goto if in local nil not or repeat return then true until while self")})
	add("r", language{line: hashes, quotes: []quote{longDbl, {`'`, `'`, true, true}}, inName: ".",
		keywords: set("break else for function if in next repeat return while TRUE FALSE NULL NA NaN Inf library require")})
	add("jl julia", language{line: hashes, block: [][2]string{{"#=", "=#"}}, quotes: append(triple[:1:1], double), directs: true,
		keywords: set("abstract baremodule begin break catch const continue do else elseif end export finally for function global if import in let local macro module mutable nothing primitive quote return struct try using where while true false"),
		types:    set("Any Bool Float32 Float64 Int Int32 Int64 String Vector")})
	add("ex exs elixir", language{line: hashes, quotes: append(triple[:1:1], longDbl), sigil: '@',
		keywords: set("after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote use when with true false nil")})
	add("hs haskell elm", language{line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, quotes: []quote{double}, inName: "'",
		keywords: set("as case class data default deriving do else foreign forall hiding if import in infix infixl infixr instance let module newtype of qualified then type where"),
		types:    set("Bool Char Double Either Float IO Int Integer Maybe String")})
	add("ml ocaml fs fsharp", language{line: slashes, block: [][2]string{{"(*", "*)"}}, quotes: []quote{longDbl}, inName: "'",
		keywords: set("and as begin do done else end exception external for fun function functor if in include inherit let match method module mutable new object of open or rec sig struct then to try type val when while with yield true false"),
		types:    set("bool char exn float int list option string unit")})
	add("clj clojure lisp elisp el scheme scm racket", language{line: []string{";"}, quotes: []quote{longDbl}, inName: "-?!*<>=/+",
		keywords: set("def defn defn- defmacro defun defvar define do fn if lambda let loop ns progn recur require setq when cond case quote nil true false t")})
	add("sql postgres postgresql mysql sqlite plsql psql", language{line: []string{"--"}, block: slashStar, quotes: []quote{{`'`, `'`, false, true}, {`"`, `"`, false, false}}, anyCase: true,
		keywords: set("add all alter and as asc begin between by case cascade check column commit constraint create cross database default delete desc distinct drop else end except exists explain false foreign from full function group having if in index inner insert intersect into is join key left like limit materialized natural not null offset on or order outer over partition primary references returning right rollback select set table then transaction trigger true truncate union unique update using values view when where window with"),
		types:    set("bigint blob boolean bytea char date decimal double float int integer interval json jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar")})
	add("ps1 powershell pwsh", language{line: hashes, block: [][2]string{{"<#", "#>"}}, quotes: []quote{longDbl, rawSingle}, sigil: '$', inName: "-", anyCase: true,
		keywords: set("begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach from function if in param process return switch throw trap try until using while")})
	add("bat batch cmd", language{line: []string{"::"}, quotes: []quote{double}, anyCase: true,
		keywords: set("call cd copy del do echo else endlocal errorlevel exist exit for goto if in not off on pause rem set setlocal shift start")})
	add("tex latex", language{line: []string{"%"}, sigil: '\\'})
	add("vim viml", language{line: []string{`" `}, quotes: []quote{single},
		keywords: set("call colorscheme command else elseif endfor endfunction endif endwhile filetype for function if let map nmap noremap nnoremap inoremap return set syntax vmap while")})
	add("nix", language{line: hashes, block: slashStar, quotes: []quote{{"''", "''", false, true}, longDbl}, inName: "-'",
		keywords: set("assert else if import in inherit let or rec then with true false null")})
}

// pythonQuotes are the strings of Python with what may stand before them.
func pythonQuotes() []quote {
	var out []quote
	for _, q := range append(append([]quote{}, triple...), double, single) {
		for _, before := range []string{"", "f", "r", "b", "rb", "fr"} {
			out = append(out, quote{before + q.open, q.close, true, q.lines})
		}
	}
	return out
}

// addData adds configuration, data and markup.
func addData(add func(string, language)) {
	add("json jsonc json5 jsonl ndjson", language{special: scanJSON})
	add("yaml yml", language{line: hashes, hash: true, quotes: []quote{longDbl, {`'`, `'`, false, true}}, keys: ":", inName: "-./", scalars: true, keywords: set("true false null yes no on off")})
	add("toml", language{line: hashes, quotes: append(append([]quote{}, triple...), double, quote{`'`, `'`, false, false}), keys: "=", inName: "-.", keywords: set("true false inf nan")})
	add("ini cfg conf properties env dotenv", language{line: []string{"#", ";"}, hash: true, quotes: []quote{double}, keys: "=:", inName: "-.", keywords: set("true false")})
	add("make makefile mk", language{line: hashes, quotes: []quote{double, single}, sigil: '$', keys: ":=?+", inName: "-.%/", keywords: set("define else endef endif export ifdef ifeq ifndef ifneq include override")})
	add("docker dockerfile containerfile", language{line: hashes, hash: true, quotes: []quote{double, single}, sigil: '$',
		keywords: set("ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR")})
	add("nginx caddyfile", language{line: hashes, quotes: []quote{double, single}, sigil: '$', keywords: set("events http if listen location proxy_pass return root rewrite server server_name upstream")})
	add("html xml svg xhtml vue svelte htm plist", language{special: scanMarkup})
	add("diff patch udiff", language{special: scanDiff})
	add("console terminal shell-session sh-session", language{special: scanConsole})
}
