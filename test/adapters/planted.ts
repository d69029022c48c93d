import { inspect } from 'node:util'
import { expect } from 'chai'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { StorageError } from '../../src/adapters/storage-error.ts'

/** Values that no error may contain, in realistic form: ids of opaque tokens, names of people. */
export const PLANTED = {
  id: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYopaq',
  uid: 'uid-5tQvNqfR2LkzWb0Yd8Hs',
  userCode: 'QKZT-WXVB',
  grantId: 'grant-9fPaoKz3JmxRcT7uEw1L',
  accountId: 'olivia.operator@support.example',
  reason: 'the customer Łucja cannot pay her invoice',
}

export const PAYLOAD: AdapterPayload = {
  jti: PLANTED.id,
  uid: PLANTED.uid,
  userCode: PLANTED.userCode,
  grantId: PLANTED.grantId,
  accountId: PLANTED.accountId,
  context: JSON.stringify({ reason: PLANTED.reason }),
}

/** One call of every method that sends a planted value. */
export function everyCall(adapter: SingleUseAdapter): Record<string, () => Promise<unknown>> {
  return {
    upsert: () => adapter.upsert(PLANTED.id, PAYLOAD, 60),
    find: () => adapter.find(PLANTED.id),
    findByUid: () => adapter.findByUid(PLANTED.uid),
    findByUserCode: () => adapter.findByUserCode(PLANTED.userCode),
    consume: () => adapter.consume(PLANTED.id),
    consumeOnce: () => adapter.consumeOnce(PLANTED.id),
    destroy: () => adapter.destroy(PLANTED.id),
    revokeByGrantId: () => adapter.revokeByGrantId(PLANTED.grantId),
  }
}

/**
 * Calls every method and checks every rejection: message, stack, own properties, causes. Resolves
 * the errors by method.
 */
export async function errorsOf(adapter: SingleUseAdapter): Promise<Map<string, StorageError>> {
  const errors = new Map<string, StorageError>()
  for (const [method, call] of Object.entries(everyCall(adapter))) {
    const error = await call().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error === undefined) continue
    expectNothingPlanted(error, method)
    expect(error, method).to.be.instanceOf(StorageError)
    if (error instanceof StorageError) errors.set(method, error)
  }
  return errors
}

/** Expects no planted value: a piece of one is a leak too. */
export function expectNothingPlanted(error: unknown, what: string): void {
  const text = inspect(error, {
    showHidden: true,
    depth: null,
    maxStringLength: null,
    maxArrayLength: null,
    customInspect: false,
  })
  for (const [name, value] of Object.entries(PLANTED)) {
    for (let at = 0; at + 9 <= value.length; at += 1) {
      expect(text, `${what}: ${name}`).to.not.include(value.slice(at, at + 9))
    }
  }
}
