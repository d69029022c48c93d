import type { AuthorizationRequest } from '../public/hooks.ts'

type Asked = Pick<AuthorizationRequest, 'ctx'>

/** By the context of the request: a joined rule is asked with a request of its own. */
const causes = new WeakMap<object, Error>()

/**
 * Says why a rule is about to refuse, or to need an approval: for the event and the log. The caller is
 * told nothing of it.
 */
export function explainRefusal({ ctx }: Asked, why: string): void {
  if (ctx) causes.set(ctx, new Error(why))
}

/** What {@link explainRefusal} said of this request, as the options of an error. */
export function refusalCause({ ctx }: Asked): ErrorOptions {
  const cause = ctx && causes.get(ctx)
  return cause ? { cause } : {}
}
