/// The results of a case.
struct CaseReport: Codable, Sendable {
    let name: String
    let title: String
    /// What is measured, and how to read the figures.
    let about: String
    /// The figure that the case compares.
    var figure = Figure.wall
    var rows: [Row] = []
    /// The minimum time that is possible, if it is known.
    var idealSeconds: Double?
    var goals: [Goal] = []
    var notes: [String] = []
    /// The results in the cells of the case `regret`.
    var regret: RegretResult?
    /// The reason why the case did not run.
    var skipped: String?
    /// The date as YYYY-MM-DD.
    var date = ""
    var rounds = 0
    /// The pawl that was measured.
    var pawl = ""
}
