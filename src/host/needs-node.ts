// The first import of the package. Node runs it before the other modules, which would fail later
// and with a message that names something else.

/** The oldest Node that the package runs on, as `engines` of package.json has it. */
export const OLDEST_NODE = '22.13'

if (OLDEST_NODE.localeCompare(process.versions.node, 'en', { numeric: true }) > 0) {
  throw new Error(
    `oidc-provider-impersonation needs Node ${OLDEST_NODE} or later, and this is Node ${process.versions.node}`,
  )
}
