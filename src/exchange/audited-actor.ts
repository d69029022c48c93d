import { errors } from 'oidc-provider'
import type { AuditTrail } from '../events/trail.ts'
import { actClaim } from '../shared/act.ts'
import type { SubjectTokenModel } from '../tokens/subject-token.ts'
import type { FoundActor } from './actor.ts'
import { findUnused } from './subject.ts'

/** Validates the actor token of the request, if it has one. */
export type ValidateActor = () => Promise<FoundActor | undefined>

/**
 * Finds the operator, and notes who it is. Where the actor token is refused, the record of the
 * subject token is looked up for the audit alone: the answer stays the same whether it is unused,
 * used or unknown.
 */
export async function validateActorWithAudit(
  validateActor: ValidateActor,
  subjectTokens: SubjectTokenModel,
  subjectToken: string,
  trail: AuditTrail,
): Promise<FoundActor | undefined> {
  try {
    const found = await validateActor()
    if (found) trail.note({ actor: actClaim(found.actor) })
    return found
  } catch (refusal) {
    if (refusal instanceof errors.InvalidRequest) {
      await findUnused(subjectTokens, subjectToken, trail).catch(ignoreRefusal)
    }
    throw refusal
  }
}

/** I5: a storage failure is a server error, not a refusal. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof errors.InvalidRequest)) throw error
}
