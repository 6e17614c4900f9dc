import Glibc
import PawlCore
import PawlStorage
import SystemPackage

// A test's own process that performs one operation on files, until it is killed.

/// Runs `area ROOT`: makes a temporary area with a file and a folder, prints its path, and waits.
func stayInArea(_ root: FilePath) throws {
    let area = try TemporaryArea.make(in: root)
    _ = try area.files.createDirectory("deep/deeper")
    try area.files.createFile("deep/deeper/data.bin", [1, 2, 3])
    say("area \(area.path)")
    withExtendedLifetime(area) { while true { pause() } }
}

/// Runs `leave ROOT`: makes a temporary area, removes it, and exits.
func leaveArea(_ root: FilePath) throws {
    let area = try TemporaryArea.make(in: root)
    try area.files.createFile("data.bin", [1, 2, 3])
    try area.remove()
    say("left \(area.path)")
}

/// Runs `move FROM TO POLICY`, with `named` if copies get a hidden name.
func move(_ arguments: [String]) throws {
    var move = FileMove(
        FilePath(arguments[0]),
        to: FilePath(arguments[1]),
        policy: ExistingFilePolicy(rawValue: arguments[2]) ?? .fail
    )
    move.copiesStartUnnamed = arguments.last != "named"
    move.methods = [.readAndWrite]
    let moved = try move.run()
    say("moved \(moved.path)\(moved.sourceRemains ? " and kept" : "")")
    for problem in moved.problems { say("problem \(problem)") }
}

func say(_ text: String) {
    print(text)
    fflush(nil)
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("area", 2): try stayInArea(FilePath(arguments[1]))
    case ("leave", 2): try leaveArea(FilePath(arguments[1]))
    case ("move", 4...5): try move(Array(arguments.dropFirst()))
    default: exit(2)
    }
} catch let error as DownloadError {
    say("error \(error.code.rawValue): \(error)")
    exit(1)
} catch {
    say("error \(error)")
    exit(1)
}
