/// The version of this project.
public enum PawlVersion {
    /// The version as `pawl --version` prints it (semantic versioning).
    public static let current = "0.1.0"
}
