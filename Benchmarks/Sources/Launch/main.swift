// Starts one program for the benchmark:
//   launch measure RESULT FOLDER PROGRAM …   runs it in FOLDER and writes its cost to RESULT
//   launch serve PROGRAM …                   becomes it; it ends with the benchmark
//
// This is a separate program because the kernel counts the memory of a process's starter in that
// process's peak. The benchmark is larger than curl, this program is not.

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
