/// The reason why the value of an option is invalid; its text follows the option's name.
package struct ValueError: Error, Hashable {
    package var reason: String
    /// The advice on what to write instead.
    package var advice: Advice

    package init(_ reason: String, advice: Advice) {
        self.reason = reason
        self.advice = advice
    }
}
