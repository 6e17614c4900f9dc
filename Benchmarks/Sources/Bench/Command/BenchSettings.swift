/// What the command line asks for.
struct BenchSettings {
    /// The program that is measured, and the two that help.
    var pawl: String
    var launcher: String
    var shaper: String
    /// Where the scratch folder goes.
    var folder: String
    var rounds: Int
    /// Syncs the disk before each run; on a busy machine that can take long.
    var syncs: Bool
}
