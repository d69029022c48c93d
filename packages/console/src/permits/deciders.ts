import { PermitError } from './errors.ts'
import type { Approver, AttachOptions, PermitsOptions } from './options.ts'
import type { Permit } from './permit.ts'

/** Who may decide for the second person, asked in this moment. Never who asks, and never the customer. */
export interface Deciders {
  /** `undefined` where there is no list: then whoever may approve by `mayApprove`. */
  find(permit: Permit): Promise<readonly Approver[] | undefined>
  /** @throws PermitError for a person who may not */
  assertMay(permit: Permit, by: string): Promise<void>
  /** @throws PermitError where it is known that there is no one */
  assertSomebody(permit: Permit): Promise<void>
}

/** @param mayApprove what `attach` was given; asked where there is no list */
export function deciders(
  approvers: PermitsOptions['approvers'],
  mayApprove: () => AttachOptions['mayApprove'],
): Deciders {
  async function find(permit: Permit): Promise<readonly Approver[] | undefined> {
    const all = await approvers?.(permit)
    return all?.filter(({ id }) => id !== permit.operator.id && id !== permit.customer.id)
  }

  async function isOne(permit: Permit, by: string): Promise<boolean> {
    if (by === permit.operator.id || by === permit.customer.id) return false
    const all = await find(permit)
    if (all) return all.some(({ id }) => id === by)
    return (await mayApprove()?.(by)) === true
  }

  return {
    find,
    async assertMay(permit, by) {
      if (await isOne(permit, by)) return
      throw new PermitError('access_denied', 'you may not decide on this')
    },
    async assertSomebody(permit) {
      const all = await find(permit)
      if (all?.length !== 0) return
      throw new PermitError('no_approver', 'there is no person who may decide on this')
    },
  }
}
