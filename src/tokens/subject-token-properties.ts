/** What a subject token stands for. */
export interface SubjectTokenProperties {
  /** The user to be impersonated. */
  accountId: string
  /** The machine-to-machine client that asked for it. */
  clientId: string
  /** The `context` of the request, as JSON. Kept as text: not every store keeps every object. */
  context: string
  /**
   * What it is bound to, as JSON; never absent: a token whose binding was lost does not count as
   * unbound.
   */
  binding: string
  /** The operator that it is bound to, by whom it is listed. */
  actor?: string | undefined
  /** The status list of the access token to come, and the index in it. */
  statusList?: string | undefined
  statusIndex?: number | undefined
  /** The permit that allowed it, and why a person has to look at it afterwards. */
  permit?: string | readonly string[] | undefined
  review?: string | undefined
  /** Seconds; absent means the full lifetime of subject tokens. */
  expiresIn?: number | undefined
}

/** What a record holds beside the members of every token: those, and what happens to it. */
export const RECORD_MEMBERS = [
  'iss',
  'accountId',
  'context',
  'binding',
  'actor',
  'statusList',
  'statusIndex',
  'permit',
  'review',
  'keptUntil',
  'chained',
  'consumed',
  'note',
  'end',
]
