import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { countedStatements } from '../../support/counted-statements.ts'
import { providerAt } from '../../support/provider-at.ts'

const CUSTOMER = 'alice'
const FACTS = { operator: 'olivia', application: 'shop', resource: 'urn:orders', scope: 'orders' }
const ASKED = { customer: CUSTOMER, ...FACTS, ticket: 'SUP-1', reason: 'r' }

/** What the provider asks its rule. */
const request = (mayAct: object | undefined) =>
  ({
    account: { accountId: CUSTOMER },
    mayAct,
    actor: { sub: 'olivia' },
    resource: FACTS.resource,
    scope: FACTS.scope,
    context: { ticketId: 'SUP-1' },
  }) as never

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`the rule that permits wrap: ${kind}`, () => {
    it('asks the storage by one statement, whatever there is to look at', async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { store, close } = await storeAt(kind, storage.place)
      const audit: AuditStore = store
      const permits = permitsWith({ audit, approvers: () => [], standing: {} }, () => Date.now())
      const plain = permitsWith({ audit, approvers: () => [] }, () => Date.now())
      const provider = await providerAt('https://id.example')
      for (const each of [permits, plain]) {
        each.attach(provider, { isBound: true })
        // Nothing but the rule asks from now on.
        await each.close()
      }
      const bound = { sub: ASKED.operator, clientId: ASKED.application }
      const needing = permits.wrap(() => ({ needs: ['second_person', 'user'] }))
      const asking = async (rule: typeof needing, mayAct: object | undefined) =>
        countedStatements[kind](async () => rule(request(mayAct)))
      try {
        await store.open()
        await needing(request(bound))
        expect(await asking(needing, bound), 'pauses, the switch, and approvals').to.equal(1)
        expect(
          await asking(
            permits.wrap(() => true),
            bound,
          ),
          'no needs',
        ).to.equal(1)
        expect(
          await asking(
            plain.wrap(() => true),
            bound,
          ),
          'no switch',
        ).to.equal(1)
        expect(
          await asking(
            permits.wrap(() => false),
            bound,
          ),
          'refused by the rule',
        ).to.equal(0)
      } finally {
        await store.close()
        await close()
      }
    })
  })
}
