internal import PawlCore
internal import PawlWire

extension AccessRules {
    /// Throws `.notAllowed` if the rules refuse a demand; returns whether it is allowed in folders only.
    @discardableResult
    static func check(
        _ demand: Demand,
        by authority: Authority,
        owner: DownloadOwner? = nil
    ) throws(DownloadError) -> Bool {
        switch decision(on: demand, by: authority, owner: owner) {
        case .allowed: return false
        case .allowedInFolders: return true
        case .refused: throw refusal(of: demand, to: authority, owner: owner)
        }
    }

    /// Returns the error of a refusal; the demand is `nil` for a route that makes none.
    static func refusal(
        of demand: Demand?,
        to authority: Authority,
        owner: DownloadOwner? = nil
    ) -> DownloadError {
        let what = demand?.about ?? "this"
        guard let owner, owner != authority.owner,
            let demand, decision(on: demand, by: authority) != .refused
        else {
            return DownloadError(
                .notAllowed,
                "\(authority.shown) may not do this: \(what)",
                advice: advice(demand, authority)
            )
        }
        return DownloadError(
            .notAllowed,
            "\(authority.shown) may not do this: \(what); the owner is \(owner.shown)",
            advice: authority == .user
                ? "end the session: pawl session forget" : advice(demand, authority)
        )
    }

    private static func advice(_ demand: Demand?, _ authority: Authority) -> String {
        let socket = "use the Unix socket: pawl, or curl --unix-socket"
        guard let demand, case .token(let name, let scope) = authority, scope != .manage,
            decision(on: demand, by: .token(name, .manage)) != .refused
        else { return socket }
        return "use a token with a wider scope (pawl daemon token --scope), or the Unix socket"
    }
}
