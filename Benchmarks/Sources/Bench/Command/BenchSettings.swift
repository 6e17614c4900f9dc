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
    /// The seed that varies the cells of `regret`; `nil` takes the time.
    var seed: UInt64?
    /// The approximate time of a transfer in a cell of `regret`.
    var cellSeconds: Double
    /// The text that a cell's title must contain; `nil` for all cells.
    var cells: String?
}
