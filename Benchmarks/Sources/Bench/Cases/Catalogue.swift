/// All cases, in the order of the report.
enum Catalogue {
    static let all: [BenchmarkCase] = [
        .http1G, .https1G, .smallHTTP, .smallHTTPS, .tree, .throttled, .longLink, .lossyLink,
        .crawl,
        .mirrorsFast, .mirrorsDying, .mirrorsSlowing, .oneStreamFills, .sha256, .resume10G,
        .memory, .memory10G, .memory200, .startVersion, .startRequest, .sessionTasks,
        .sessionStarts, .sessionReader, .daemonIdle, .daemonAdd, .daemonMillion, .daemonImport,
        .daemonGet,
        .daemonLoad, .regret,
    ]

    /// The cases of `--short`: quick, with limits that are also met on a busy machine.
    static let short: [BenchmarkCase] = [
        .shortHTTP, .shortHTTPS, .shortSmall, .shortThrottled, .shortMemory,
    ]
}
