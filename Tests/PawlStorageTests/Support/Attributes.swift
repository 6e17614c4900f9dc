import PawlStorage
import SystemPackage

/// Whether the file system keeps user attributes.
func hasAttributes(_ folder: ScratchFolder) -> Bool {
    guard (try? folder.put([], "attributes")) != nil else { return false }
    defer { try? folder.remove("attributes") }
    return ExtendedAttribute(name: "user.pawl.test").put(
        "x",
        on: folder.path.appending("attributes")
    )
}
