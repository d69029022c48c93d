/** One thing that a deployment in production has: a line of the list that `check()` resolves. */
export interface ChecklistItem {
  /** What a deployment in production has, in one sentence. */
  readonly item: string
  /** Whether this one has it, as far as the provider can tell. */
  readonly ok: boolean
  /** What to do where it has not; empty where `ok`. */
  readonly todo: string
}
