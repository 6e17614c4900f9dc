/// What the bytes are that were read is not what they should be.
package struct MalformedBytes: Error {
    package let what: String

    package init(what: String) { self.what = what }
}
