/** The paths at which two trees differ. */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  if (Object.is(one, other)) return []
  if (one instanceof Set && other instanceof Set) {
    const odd = [...one, ...other].filter((member) => !one.has(member) || !other.has(member))
    return odd.map((member) => `${path}: ${String(member)}`)
  }
  // oidc-provider creates new default objects for each provider.
  if (typeof one === 'function' && String(one) === String(other)) return []
  if (!isTree(one) || !isTree(other)) return [path]
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].flatMap((key) =>
    differences(one[key], other[key], path === '' ? key : `${path}.${key}`),
  )
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
