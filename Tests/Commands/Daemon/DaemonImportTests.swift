import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Lists that are imported part by part.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonImportTests {
        /// The number of lines that the daemon adds together.
        private static let part = 5000
        private static let key = "Idempotency-Key: list"

        /// Lines of an import: an object, and URLs alone.
        private func lines(_ count: Int, in folder: String) -> String {
            var text = ""
            for number in 1...count {
                let url = "http://host.invalid/\(number)"
                text +=
                    number == 1
                    ? #"{"url":"\#(url)","destination":"\#(folder)/","isPaused":true}"#
                    : "\"\(url)\""
                text += "\n"
            }
            return text
        }

        /// The arguments of curl that send lines at the socket.
        private func arguments(_ scene: DaemonScene, _ query: String = "") -> [String] {
            [
                "-sS", "--unix-socket", scene.home.path("run/pawl/daemon.sock"), "-X", "POST",
                "-H", "Content-Type: application/x-ndjson", "-H", Self.key, "-H", "Expect:",
                "http://localhost\(APIPath.imports)\(query)",
            ]
        }

        private func send(
            _ text: String,
            _ scene: DaemonScene,
            _ query: String = ""
        ) async throws -> WireImport {
            let path = try scene.home.write("lines", text)
            let run = try await ProcessRunner.run(
                "curl",
                arguments(scene, query) + ["--data-binary", "@\(path)"]
            )
            return try WireJSON.decode(WireImport.self, from: run.output.utf8)
        }

        private func counts(_ scene: DaemonScene) async throws -> [String: Int] {
            let run = try await scene.succeed("daemon", "status", "--json")
            return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8).counts
        }

        /// A list in the form of `pawl add`, each of whose lines has about 1 KiB.
        private func list(_ count: Int) -> String {
            let padding = String(repeating: "x", count: 1000)
            return (1...count).map { "http://host.invalid/\(padding)/\($0)\n" }.joined()
        }

        @Test func `a list is added with lines that are not valid left out`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let folder = scene.workshop.folder.path
            let text =
                lines(Self.part + 10, in: folder) + "\n  \"http://host.invalid/last\" \r\n"
                + "\"gopher://host/\"\n{\"url\":1}\n\"http://host.invalid/after\"\n"
                + #"{"url":"http://host.invalid/own","destination":"\#(folder)/","odd":1}"#
            let answer = try await send(text, scene)
            #expect(answer.line == Int64(Self.part + 16))
            #expect(answer.added == Int64(Self.part + 11))
            #expect(answer.refused == 4)
            #expect(answer.refusedLines.map(\.line) == (13...16).map { Int64(Self.part + $0) })
            #expect(answer.refusedLines.allSatisfy { $0.problem.code == .usage })
            #expect(answer.refusedLines[3].problem.title.contains("'odd'"))
            #expect(try await counts(scene) == ["paused": Self.part + 11])
            let last = try await scene.downloads("last")
            #expect(last.map(\.destination) == [folder + "/"])
            // The same list adds nothing, and reports the same.
            let again = try await send(text, scene)
            #expect(again.added == answer.added)
            #expect(again.refusedLines == answer.refusedLines)
            #expect(try await counts(scene) == ["paused": Self.part + 11])
            withExtendedLifetime(daemon) {}
        }

        /// An object of an import with a description of a length.
        private func object(_ name: String, describedBy length: Int, in folder: String) -> String {
            let description = String(repeating: "d", count: length)
            return #"{"url":"http://host.invalid/\#(name)","destination":"\#(folder)/","#
                + #""isPaused":true,"taskDescription":"\#(description)"}"# + "\n"
        }

        @Test func `an object of more than 64 KiB has no URLs below it`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let folder = scene.workshop.folder.path
            let text =
                object("large", describedBy: 64 << 10, in: folder)
                + "\"http://host.invalid/below\"\n" + object("small", describedBy: 1, in: folder)
                + "\"http://host.invalid/last\"\n"
            let answer = try await send(text, scene)
            #expect(answer.added == 3)
            #expect(answer.refusedLines.map(\.line) == [2])
            #expect(answer.refusedLines.first?.problem.code == .tooLarge)
            #expect(try await scene.downloads().map(\.name) == ["large", "small", "last"])
            withExtendedLifetime(daemon) {}
        }

        @Test func `what a part copies for each URL counts for its size`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let count = 100
            let text =
                object("1", describedBy: 60_000, in: scene.workshop.folder.path)
                + (2...count).map { "\"http://host.invalid/\($0)\"\n" }.joined()
            let answer = try await send(text, scene)
            #expect(answer.added == Int64(count))
            // A part ends after 2 MiB, which is more than 34 copies.
            #expect(answer.repeatFrom > 60)
            withExtendedLifetime(daemon) {}
        }

        /// An import that has sent more than one part, and whose body has not ended.
        private struct HeldImport {
            let sender: ProcessRunner
            fileprivate let end: String

            /// Ends the body, and waits for the response.
            func finish() async throws -> String {
                _ = try await ProcessRunner.run("bash", ["-c", #": > "$0""#, end])
                await sender.waitForExit()
                return sender.output
            }
        }

        private func hold(_ text: String, _ scene: DaemonScene) async throws -> HeldImport {
            let half = text.split(separator: "\n").prefix(Self.part + 500)
            let path = try scene.home.write("half", half.joined(separator: "\n") + "\n")
            let end = scene.home.path("end")
            #expect(mkfifo(end, 0o600) == 0)
            let sender = try ProcessRunner(
                "bash",
                ["-c", #"(cat "$0"; read < "$1") | curl "${@:2}" -T -"#, path, end]
                    + arguments(scene)
            )
            try await scene.waitForEvents(.added, count: Self.part)
            return HeldImport(sender: sender, end: end)
        }

        private func expectRest(_ text: String, _ count: Int, _ scene: DaemonScene) async throws {
            #expect(try await counts(scene) == ["paused": Self.part])
            let known = try await send("", scene)
            #expect(known.line == Int64(Self.part))
            #expect(known.repeatFrom == 1)
            let answer = try await send(text, scene)
            #expect(answer.line == Int64(count))
            #expect(answer.added == Int64(count))
            let names = try await scene.downloads().map(\.name)
            #expect(names == (1...count).map { "\($0)" })
        }

        @Test(arguments: [false, true])
        func `an import whose daemon was killed continues where it was`(inDatabase: Bool)
            async throws
        {
            var store: String?
            if inDatabase {
                let cluster = try await PostgresCluster.shared()
                store = cluster.address(try await cluster.makeDatabase())
            }
            let scene = try DaemonScene(Workshop(), store: store)
            let daemon = try await scene.startDaemon()
            let count = 2 * Self.part + 1000
            let text = lines(count, in: scene.workshop.folder.path)
            let held = try await hold(text, scene)
            daemon.signal(SIGKILL)
            await daemon.waitForExit()
            let next = try await scene.startDaemon()
            try await expectRest(text, count, scene)
            withExtendedLifetime((next, held.sender)) {}
        }

        @Test func `an import whose database has ended continues where it was`() async throws {
            try await PostgresCluster.run { cluster in
                let scene = try DaemonScene(Workshop(), store: cluster.address())
                let daemon = try await scene.startDaemon()
                let count = 2 * Self.part + 1000
                let text = lines(count, in: scene.workshop.folder.path)
                let held = try await hold(text, scene)
                await cluster.stop()
                let response = try await held.finish()
                let problem = try WireJSON.decode(Problem.self, from: response.utf8)
                #expect(problem.code == .storeUnavailable, "\(response)")
                try await cluster.start()
                let isBack = await daemon.waitForOutput(containing: "the queue is available again")
                #expect(isBack, "\(daemon.errors)")
                try await expectRest(text, count, scene)
            }
        }

        @Test func `two imports at once with the same key add each line once`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let count = 2 * Self.part + 7
            let path = try scene.home.write("both", lines(count, in: scene.workshop.folder.path))
            let words = arguments(scene) + ["--data-binary", "@\(path)"]
            async let first = ProcessRunner.run("curl", words)
            async let second = ProcessRunner.run("curl", words)
            for run in try await [first, second] {
                let answer = try WireJSON.decode(WireImport.self, from: run.output.utf8)
                #expect(answer.line == Int64(count))
                #expect(answer.added == Int64(count))
            }
            #expect(try await counts(scene) == ["paused": count])
            withExtendedLifetime(daemon) {}
        }

        @Test func `the pieces of a list follow each other, and another list is a conflict`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let folder = scene.workshop.folder.path
            let first = lines(10, in: folder)
            #expect(try await send(first, scene).line == 10)
            let gap = try await refusal(first, scene, "?line=12")
            #expect(gap.code == .conflict)
            #expect(gap.advice?.contains("11") == true)
            let other = first.replacing("/10\"", with: "/other\"")
            #expect(try await refusal(other, scene).code == .conflict)
            let answer = try await send(first, scene, "?line=11")
            #expect(answer.line == 20)
            #expect(answer.repeatFrom == 11)
            #expect(try await refusal(first, scene, "?line=0").code == .usage)
            #expect(try await counts(scene) == ["paused": 20])
            withExtendedLifetime(daemon) {}
        }

        private func refusal(
            _ text: String,
            _ scene: DaemonScene,
            _ query: String = ""
        ) async throws -> Problem {
            let path = try scene.home.write("lines", text)
            let run = try await ProcessRunner.run(
                "curl",
                arguments(scene, query) + ["--data-binary", "@\(path)"]
            )
            return try WireJSON.decode(Problem.self, from: run.output.utf8)
        }

        @Test func `a key belongs to its client`() async throws {
            let access = try await AccessScene.make()
            let folder = access.network.scene.home.path("Downloads")
            let text = lines(3, in: folder)
            for authority in [Authority.user, AccessScene.main, AccessScene.adder] {
                let arguments = access.arguments(authority, "POST", APIPath.imports, text)
                let answer = try await access.network.curl(arguments + ["-H", Self.key])
                #expect(answer.status == 200, "\(answer.body)")
                let done = try WireJSON.decode(WireImport.self, from: answer.body.utf8)
                #expect(done.added == 3, "\(authority)")
            }
            let owners = try await access.network.scene.downloads().map(\.owner)
            #expect(Set(owners).count == 3)
            #expect(owners.count == 9)
            // A folder that is not allowed ends the request; the lines above it are of the same part.
            let outside = #"{"url":"http://host.invalid/","destination":"/elsewhere/"}"#
            let refused = try await access.ask(
                AccessScene.main,
                "POST",
                APIPath.imports,
                text + outside
            )
            #expect(refused.status == 403)
            #expect(refused.problem?.detail?.contains("line 4") == true, "\(refused.body)")
            #expect(try await access.network.scene.downloads().count == 9)
        }

        @Test func `pawl add reads a long list with options and wrong lines`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let count = 5000
            let text =
                "# a comment\n\nhttp://host.invalid/first\n# of the first\n  out=own-name\n"
                + list(count) + "http://host.invalid/{a,b}\ngopher://host/x\nhttp://\n"
                + "  output=c\nhttp://user:pass@host.invalid/secret\n"
            let path = try scene.home.write("list.txt", text)
            let run = try await scene.run("add", "-i", path, "--paused", "--priority", "high")
            expectError(.usage, run)
            #expect(run.output == "\(count + 4) downloads added\n")
            #expect(run.errors.contains("2 lines were refused"), "\(run.errors)")
            let wrong = [count + 7, count + 8].map { "list.txt, line \($0)" }
            for line in wrong { #expect(run.errors.contains(line), "\(run.errors)") }
            #expect(try await counts(scene) == ["paused": count + 4])
            let own = try await scene.downloads("own-name")
            #expect(own.map(\.priority) == [.high])
            #expect(own.map(\.url) == ["http://host.invalid/first"])
            let names = try await scene.downloads("a", "b", "secret").map(\.name)
            #expect(names == ["a", "b", "secret"])
            withExtendedLifetime(daemon) {}
        }

        /// Adds a long list that begins with some lines; returns the command, and the names of the
        /// first downloads.
        private func addLong(_ first: [UInt8]) async throws -> (
            run: FinishedProcess, names: [String]
        ) {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let rest = 4200
            let path = try scene.home.write("list.txt", first + Array(list(rest).utf8))
            let run = try await scene.run("add", "-i", path, "--paused")
            let names = try await scene.downloads().map(\.name).dropLast(rest)
            withExtendedLifetime(daemon) {}
            return (run, Array(names))
        }

        @Test func `a line that cannot be read leaves the URL above it`() async throws {
            let first = Array("http://host.invalid/a\nhttp://host.invalid/".utf8) + [0xE9, 0x0A]
            let (run, names) = try await addLong(first)
            expectError(.usage, run)
            #expect(run.errors.contains("list.txt, line 2: not text in UTF-8"), "\(run.errors)")
            #expect(run.errors.contains("1 line was refused"), "\(run.errors)")
            #expect(names == ["a"])
        }

        @Test func `a URL with an option that is not valid is not added`() async throws {
            let first =
                "http://host.invalid/a\n  cheksum=sha-256=00\n  output=x\n"
                + "http://host.invalid/{b,c}\n  odd\n"
            let (run, names) = try await addLong(Array(first.utf8))
            expectError(.usage, run)
            for line in [2, 5] {
                #expect(run.errors.contains("list.txt, line \(line): "), "\(run.errors)")
            }
            #expect(run.errors.contains("the URL above it is not added"), "\(run.errors)")
            #expect(run.errors.contains("2 lines were refused"), "\(run.errors)")
            #expect(names.isEmpty)
        }

        @Test(arguments: ["http://host.invalid/", "http://host.invalid/{"])
        func `options below a line that cannot be read belong to no URL`(begin: String)
            async throws
        {
            var first = Array("http://host.invalid/a\n".utf8)
            first += begin.utf8
            first += [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            first += "\n  output=x\nhttp://host.invalid/b\n".utf8
            first += begin.utf8
            first += [0xE9, 0x0A]
            // An option that is too long is one of the line above it, too.
            first += "  output=y\n  ".utf8
            first += [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            first += "\nhttp://host.invalid/c\n  output=z\nhttp://host.invalid/d\n  ".utf8
            first += [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            first += "\n  output=w\n".utf8
            let (run, names) = try await addLong(first)
            expectError(.usage, run)
            for line in [2, 5, 11] {
                #expect(run.errors.contains("list.txt, line \(line): "), "\(run.errors)")
            }
            #expect(run.errors.contains("3 lines were refused"), "\(run.errors)")
            #expect(names == ["a", "b", "z"])
        }

        /// Kills a command that adds a list from the returned pipe after some of its lines are added.
        private func killAdding(
            _ path: String,
            _ words: [String],
            _ scene: DaemonScene,
            after count: Int = 3000
        ) async throws -> String {
            let (pipe, end) = (scene.home.path("pipe"), scene.home.path("end"))
            for name in [pipe, end] { #expect(mkfifo(name, 0o600) == 0) }
            let feeder = try ProcessRunner(
                "bash",
                ["-c", #"exec 3> "$1"; cat "$0" >&3; read < "$2""#, path, pipe, end]
            )
            let first = try scene.start(["add", "--paused", "-i", pipe] + words, [:])
            try await scene.waitForEvents(.added, count: count)
            first.signal(SIGKILL)
            await first.waitForExit()
            feeder.signal(SIGKILL)
            await feeder.waitForExit()
            return pipe
        }

        @Test func `pawl add that was killed continues with the same list from a pipe`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            // More than two requests.
            let count = 10_000
            let path = try scene.home.write("list.txt", list(count))
            let pipe = try await killAdding(path, [], scene)
            let again = try ProcessRunner("bash", ["-c", #"cat "$0" > "$1""#, path, pipe])
            let run = try await scene.succeed("add", "--paused", "-i", pipe)
            #expect(run.output == "\(count) downloads added\n")
            #expect(try await counts(scene) == ["paused": count])
            // The list in the file is another one.
            let file = try await scene.succeed("add", "--paused", "-i", path, "--json")
            let state = try WireJSON.decode(WireImport.self, from: file.output.utf8)
            #expect(state.added == Int64(count))
            #expect(try await counts(scene) == ["paused": 2 * count])
            withExtendedLifetime((daemon, again)) {}
        }

        @Test func `a list that has changed since it was begun is added as a new one`() async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let count = 10_000
            let text = list(count)
            let path = try scene.home.write("list.txt", text)
            let pipe = try await killAdding(path, [], scene, after: 6000)
            // The first 4 MiB, which identify the list, are the same.
            let lines = text.split(separator: "\n").map { String($0) }
            let changed = lines.dropFirst(4200).map { $0.replacing("//host", with: "//tost") }
            let other = Array(lines.prefix(4200)) + changed
            let file = try scene.home.write("changed", other.joined(separator: "\n") + "\n")
            let feed = ["-c", #"cat "$0" > "$1""#, file, pipe]
            let first = try ProcessRunner("bash", feed)
            let refused = try await scene.run("add", "--paused", "-i", pipe)
            expectError(.conflict, refused)
            let reason = "the list differs from the one that was begun"
            #expect(refused.errors.contains(reason), "\(refused.errors)")
            await first.waitForExit()
            let second = try ProcessRunner("bash", feed)
            let run = try await scene.succeed("add", "--paused", "-i", pipe)
            #expect(run.output == "\(count) downloads added\n")
            withExtendedLifetime((daemon, second)) {}
        }

        @Test func `a repeated command may have another time and another password`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let count = 10_000
            let path = try scene.home.write("list.txt", list(count))
            let words = ["--not-before", "+2h", "--user"]
            let pipe = try await killAdding(path, words + ["tester:correct-horse"], scene)
            let again = try ProcessRunner("bash", ["-c", #"cat "$0" > "$1""#, path, pipe])
            let run = try await scene.workshop.run(
                ["add", "--paused", "-i", pipe] + words + ["tester:battery"],
                scene.settings
            )
            #expect(run.output == "\(count) downloads added\n", "\(run.errors)")
            #expect(try await counts(scene) == ["paused": count])
            withExtendedLifetime((daemon, again)) {}
        }

        @Test func `a short list from a pipe is added as a whole or not at all`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            var settings = scene.settings
            settings.input = Array("http://host.invalid/a\nhttp://host.invalid/b\n".utf8)
            let words = ["add", "--paused", "-i", "-"]
            let run = try await scene.workshop.run(words, settings)
            #expect(run.output == "1\ta\n2\tb\n")
            settings.input = Array("http://host.invalid/c\ngopher://x/\n".utf8)
            expectError(.usage, try await scene.workshop.run(words, settings))
            #expect(try await counts(scene) == ["paused": 2])
            withExtendedLifetime(daemon) {}
        }
    }
}
