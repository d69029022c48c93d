// The first import of the package. Node runs it before the other modules, which would fail later
// and with a message that names something else.

/** The oldest Node that the package runs on, as `engines` of package.json has it. */
export const OLDEST_NODE = '22.13'

const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

if (isTooOld(process.versions.node)) {
  throw new Error(
    `oidc-provider-impersonation needs Node ${OLDEST_NODE} or later, and this is Node ${process.versions.node}`,
  )
}
