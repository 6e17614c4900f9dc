/// What must happen in some of the runs, so that they prove something.
enum SimulatedSituation: CaseIterable, Sendable {
    case nodeLost, nodeDrained, leaseSuspended, leaseResumed
    case downloadTakenOver, stripeTakenOver, stripeSplit, forgottenClaimTakenAgain
    case staleWriteRefused, latePartOfAnotherAttempt, numberReused
    case completionTakenOver, completedTwice, completionRefused, partsReplaced
    case representationChanged, uploadAborted, foreignObject
    case putRefused, objectAdopted
}
