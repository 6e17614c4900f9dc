// Starts one program for the benchmark:
//   launch measure RESULT FOLDER PROGRAM …   runs it in FOLDER and writes what it cost to RESULT
//   launch serve PROGRAM …                   becomes it; it ends when the benchmark does
//
// A program of its own because the kernel counts the memory of whoever starts a process among that
// process's peak: the benchmark is larger than curl, this is not.

var words = CommandLine.arguments.dropFirst()
switch words.popFirst() {
case "measure":
    guard let result = words.popFirst(), let folder = words.popFirst(), !words.isEmpty
    else { Launcher.fail("measure RESULT FOLDER PROGRAM …") }
    Launcher.measure(Array(words), in: folder, result: result)
case "serve" where !words.isEmpty:
    Launcher.become(Array(words))
default:
    Launcher.fail("measure or serve")
}
