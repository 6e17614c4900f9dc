// Starts one program for the benchmark:
//   launch measure RESULT FOLDER PROGRAM …   runs PROGRAM in FOLDER and writes its cost to RESULT
//   launch serve PROGRAM …                   becomes PROGRAM, which ends with the benchmark
//
// This is a separate program because the kernel includes the parent's memory at the fork in a
// process's peak. The benchmark uses more memory than curl; this program does not.

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
