/// An error in bytes that were read: they do not have the expected form.
package struct MalformedBytes: Error {
    package let what: String

    package init(what: String) { self.what = what }
}
