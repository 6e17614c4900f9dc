/// What a case brought.
struct CaseReport: Codable, Sendable {
    let name: String
    let title: String
    /// What is done, and how the figures are to be read.
    let about: String
    /// The one that matters here.
    var figure = Figure.wall
    var rows: [Row] = []
    /// The least time that is possible, where that can be said.
    var idealSeconds: Double?
    var goals: [Goal] = []
    var notes: [String] = []
    /// Why it did not run.
    var skipped: String?
    /// When, as YYYY-MM-DD.
    var date = ""
    var rounds = 0
    /// The pawl that took part.
    var pawl = ""
}
