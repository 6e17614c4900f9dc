extension StringProtocol {
    /// Returns the text with each occurrence of an ASCII scalar replaced.
    ///
    /// With a following combining mark, the scalar is another `Character`, which `replacing` does not
    /// find.
    package func replacingASCII(_ scalar: Unicode.Scalar, with text: String) -> String {
        var result = String.UnicodeScalarView()
        for own in unicodeScalars {
            if own == scalar {
                result.append(contentsOf: text.unicodeScalars)
            } else {
                result.append(own)
            }
        }
        return String(result)
    }
}
