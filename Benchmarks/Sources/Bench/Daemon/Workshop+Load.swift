/// Downloads by the daemon while many clients send requests.
extension Workshop {
    /// Has the daemon fetch files, each over one connection.
    ///
    /// Measures from before the request that adds them until all readers have received their end.
    func fetch(
        _ urls: [String],
        by home: DaemonHome,
        _ daemon: MeasuredDaemon,
        under load: LoadSettings
    ) throws -> (Measurement, LoadResult) {
        try clearDownloads()
        var generator = try LoadGenerator(load)
        defer { generator.close() }
        // Up to a thousand connections have just been opened; their work is not measured.
        Moment.now.advanced(bySeconds: 1).wait()
        let items = urls.enumerated().map { number, url in
            #"{"url":"\#(url)","destination":"\#(downloads)/\#(number)","settings":{"connections":1}}"#
        }
        let body = root + "/load.json"
        try Files.write("{\"downloads\":[" + items.joined(separator: ",") + "]}", to: body)
        let cpu = try daemon.cpuSeconds()
        let began = Moment.now
        try ask(
            home,
            [
                "-o", "/dev/null", "-H", "Content-Type: application/json", "--data-binary",
                "@" + body, "http://localhost/v1/downloads",
            ]
        )
        let result = try generator.run(since: began)
        var measurement = Measurement(wallSeconds: result.seconds)
        measurement.cpuSeconds = try daemon.cpuSeconds() - cpu
        measurement.peakBytes = try daemon.memoryBytes()
        return (measurement, result)
    }
}
