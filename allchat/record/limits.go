package record

import "time"

// Version is the version of the log and of every event in it.
const Version = 1

// Bounds of a run. One that is reached is an error, CodeLimit where the run is
// full and CodeEventInvalid where a field is; nothing is cut or dropped.
const (
	MaxEvents       = 1024     // committed events of a run
	KeptEvents      = 3        // of those, kept for ending it
	MaxLog          = 8 << 20  // bytes of a log
	KeptLog         = 4 << 10  // of those, kept for ending it
	MaxObservations = 2048     // of a run: what is shown and never committed
	MaxTurns        = 64       // of the person, in a run
	MaxRuns         = 32       // kept of one project
	MaxText         = 64 << 10 // bytes of one text
	MaxBrief        = 16 << 10 // bytes of a task's brief
	MaxEvidence     = 16 << 10 // bytes of one item of evidence as it is shown to a worker
	MaxItems        = 8        // of evidence to a task, of sources to a message
	MaxResult       = 16 << 10 // bytes of a task's result
	MaxTasks        = 16       // of a run
	MaxOpenTasks    = 2        // of one worker at a time
	MaxOthers       = 2        // participants beside the coordinator
	MaxSession      = 256      // bytes of a session's id
	MaxLabel        = 256      // bytes of a label, a name or an id from outside
	MaxSummary      = 160      // characters of a tool's summary
	MaxPath         = 1024     // bytes of a path within the project
	MaxFiles        = 50       // of one proposal
	MaxCards        = 64       // permissions asked in one turn; one waits of a participant at a time
	MaxOptions      = 16       // of one permission
	MaxOptionID     = 256      // bytes
	MaxOptionLabel  = 4 << 10  // bytes
	MaxUpdates      = 1024     // that wait of one participant
	MaxUpdateBytes  = 8 << 20  // of those
	maxInteger      = 1<<53 - 1
)

// How long each step may take. Activity does not extend any of them.
const (
	InitializeWithin = 30 * time.Second
	SessionWithin    = 45 * time.Second
	PermissionWithin = 120 * time.Second
	CancelGrace      = 2 * time.Second
	TurnWithin       = 30 * time.Minute // of a participant, unless the run says otherwise
	MaxTurnWithin    = 24 * time.Hour
)
