import PawlTesting

extension ClientProgram {
    /// Sends messages on a WebSocket, each list at once; returns the answers, each with the
    /// milliseconds since its message was sent.
    ///
    /// `origin`: the origin of the page that opens the WebSocket; `nil` for a program.
    static func askOnWebSocket(
        _ port: Substring,
        _ lists: [[String]],
        origin: String? = nil
    ) async throws -> [(milliseconds: Double, answer: String)] {
        let input = lists.map { "[" + $0.joined(separator: ",") + "]\n" }.joined()
        let run = try await ProcessRunner.run(
            "python3",
            [try path("web_socket.py"), String(port)] + (origin.map { [$0] } ?? []),
            ProcessSettings(input: input)
        )
        guard run.status.isSuccess else { throw ServerFailure(description: run.errors) }
        return run.output.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let time = Double(parts[0]) else { return nil }
            return (time, String(parts[1]))
        }
    }
}
