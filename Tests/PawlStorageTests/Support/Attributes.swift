import PawlStorage
import SystemPackage

/// Whether the file system keeps user attributes.
func hasAttributes(_ folder: StorageFolder) -> Bool {
    guard (try? folder.put([], "attributes")) != nil else { return false }
    defer { try? folder.remove("attributes") }
    return TextAttribute(name: "user.pawl.test").put(
        "x",
        on: folder.path.appending("attributes")
    )
}
