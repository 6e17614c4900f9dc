/// All cases, in the order of the report.
enum Catalogue {
    static let all: [BenchmarkCase] = [
        .http1G, .https1G, .smallHTTP, .smallHTTPS, .throttled, .longLink, .lossyLink, .crawl,
        .mirrorsFast, .mirrorsDying, .mirrorsSlowing, .oneStreamFills, .sha256, .resume10G,
        .memory, .memory200, .startVersion, .startRequest,
    ]
}
