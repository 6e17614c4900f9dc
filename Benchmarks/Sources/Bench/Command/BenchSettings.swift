/// The settings from the command line.
struct BenchSettings {
    /// The program that is measured, and the two helper programs.
    var pawl: String
    var launcher: String
    var shaper: String
    /// The folder for the scratch folder.
    var folder: String
    var rounds: Int
    /// Whether the disk is synced before each run, which can take long on a busy machine.
    var syncs: Bool
}
