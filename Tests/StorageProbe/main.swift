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
    say("moved \(try move.run().path)")
}

/// Runs `burst FOLDER COUNT`: creates `COUNT` files, renames every second and deletes every third.
func burst(_ folder: String, _ count: Int) throws {
    for number in 0..<count {
        let file = open("\(folder)/\(number).tmp", O_WRONLY | O_CREAT | O_EXCL, 0o644)
        guard file >= 0 else { throw Errno(rawValue: errno) }
        _ = withUnsafeBytes(of: number) { write(file, $0.baseAddress, number % 9) }
        close(file)
    }
    for number in stride(from: 0, to: count, by: 2) {
        rename("\(folder)/\(number).tmp", "\(folder)/\(number).done")
    }
    for number in stride(from: 0, to: count, by: 3) {
        unlink("\(folder)/\(number).tmp")
        unlink("\(folder)/\(number).done")
    }
    close(open("\(folder)/end", O_WRONLY | O_CREAT | O_EXCL, 0o644))
    say("done")
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
    case ("burst", 3): try burst(arguments[1], Int(arguments[2]) ?? 0)
    default: exit(2)
    }
} catch let error as DownloadError {
    say("error \(error.code.rawValue): \(error)")
    exit(1)
} catch {
    say("error \(error)")
    exit(1)
}
