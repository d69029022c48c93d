import { type Caller, callerFrom, meetRequirement, type Requirement } from './caller.ts'
import { providerKeys } from './keys.ts'
import type { ResolvedResourceServerOptions } from './options.ts'
import { RequestRefused, refuserOf, setOffer } from './refusal.ts'
import type { Presented } from './request.ts'
import { verifySender } from './sender/sender.ts'
import { statusCheck } from './status/status.ts'
import type { UseRefusal } from './uses/impersonation-use.ts'
import { createUseNotifier } from './uses/notify-uses.ts'
import { tokenVerifier } from './verify.ts'
import { watchToken } from './watch-token.ts'

/**
 * Makes the function that judges requests. It notifies `onImpersonatedRequest`, whatever the
 * verdict is.
 *
 * @returns a function that throws {@link RequestRefused}; any other error is a failure of the API
 * itself
 */
export function requestJudge(
  options: ResolvedResourceServerOptions,
): (presented: Presented, requirements: readonly Requirement[]) => Promise<Caller> {
  const { issuer, jwksUri, fetch, dPoP, metadata } = options
  const keys = providerKeys(issuer, jwksUri, fetch)
  const verifyToken = tokenVerifier(options, keys)
  const checkStatus = statusCheck(options, keys)
  const notifyUse = createUseNotifier(options)

  async function judge(presented: Presented, requirements: readonly Requirement[]) {
    const time = Date.now()
    // Only a valid token counts as impersonated, whatever its claims are.
    const { accessToken, claims } = await verifyToken(presented)
    const caller = callerFrom(claims, (caller) => {
      notifyUse({ presented, caller, time, refused: undefined }, { isOpen: true })
      return watchToken(presented, Number(claims.exp) * 1000, () => checkStatus(caller))
    })
    let stage: UseRefusal['by'] = 'sender'
    try {
      await verifySender(presented, { accessToken, cnf: claims.cnf }, options)
      stage = 'status'
      // After the sender: a token that is stolen must not lead to a fetch.
      await checkStatus(caller)
      stage = 'requirement'
      for (const requirement of requirements) await meetRequirement(requirement, caller)
    } catch (error) {
      notifyUse({ presented, caller, time, refused: describeRefusal(error, stage) })
      throw error
    }
    notifyUse({ presented, caller, time, refused: undefined })
    return caller
  }

  return async (presented, requirements) => {
    try {
      return await judge(presented, requirements)
    } catch (error) {
      if (error instanceof RequestRefused) {
        setOffer(error, {
          algs: dPoP?.algorithms.join(' '),
          scheme: presented.scheme,
          resourceMetadata: metadata?.url,
        })
      }
      throw error
    }
  }
}

function describeRefusal(error: unknown, stage: UseRefusal['by']): UseRefusal {
  // The message of another error may hold secrets, so it goes to the API's log alone.
  if (!(error instanceof RequestRefused)) {
    return Object.freeze({ by: stage, description: 'the check failed' })
  }
  const { error: code, error_description: description } = error.toJSON()
  return Object.freeze({ by: refuserOf(error) ?? stage, error: code, description })
}
