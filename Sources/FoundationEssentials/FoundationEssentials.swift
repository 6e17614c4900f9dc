// Apple's systems have no module of this name. There, the package builds this one, so that the same
// imports find the types of Foundation.
@_exported public import Foundation
