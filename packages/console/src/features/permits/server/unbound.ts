/** The members without which no permit fits. */
const FITTING = ['mayAct', 'resource', 'scope'] as const

const REQUIRE = 'features.impersonation.managementApi.requireBinding'

/**
 * Says at the start that requests get through which no permit can fit: a backend that sends one is refused for
 * ever, and is told nothing of the reason.
 *
 * @param required the members without which nothing is issued
 */
export function warnOfUnbound(required: readonly string[]) {
  const missing = FITTING.filter((member) => !required.includes(member))
  if (missing.length === 0) return
  const all = [...new Set([...required, ...FITTING])].map((member) => `'${member}'`)
  warn(
    `${REQUIRE} lacks ${missing.join(', ')}: a request without them fits no permit, whatever is approved. Write requireBinding: [${all.join(', ')}], or isBound: true in permits.attach() where every backend sends them`,
  )
}

/** Says once for each reason that no permit can fit what a backend asks for. */
export function unfitWarner() {
  const said = new Set<string>()
  return (why: string) => {
    if (said.has(why)) return
    said.add(why)
    warn(`${why}. Its backend has to send mayAct.sub, mayAct.clientId, one resource and a scope`)
  }
}

function warn(message: string) {
  process.emitWarning(message, { type: 'ImpersonationWarning', code: 'PERMITS_UNBOUND' })
}
