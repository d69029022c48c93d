import { expect } from 'chai'
import { statusListId } from '../../src/adapters/record.ts'
import { statusIndices } from '../../src/status-list/allocate.ts'
import { Drawn, ISSUER, Store, settled, TOKEN_LIFE } from '../tokens/remembering-store.ts'

const LOOK = 5000

describe('the lists of status indices', () => {
  it('are of a list that lasts for the longest token of the process', async () => {
    const store = new Store()
    const drawn = new Drawn()
    const short = await drawn.from(store.process({ tokenLife: 60 }), 1)
    const long = await drawn.from(store.process(), 1)
    expect(long).not.to.equal(short)
    expect(await drawn.from(store.process(), 1)).to.equal(long)
  })

  it('outlive their list by five minutes or more, in the storage: clocks differ', async () => {
    const store = new Store()
    let block = ''
    store.onCall = (method, id) => {
      if (method === 'consumeOnce') block = String(id)
    }
    const { list } = await store.process().draw()
    await settled()
    const [leased, record] = [
      await store.adapter.find(block),
      await store.adapter.find(statusListId(list)),
    ]
    expect(Number(leased?.exp) - Number(record?.exp)).to.be.at.least(300)
  })

  it('are of lists of this issuer, where several use the store', async () => {
    const store = new Store()
    const [ours, theirs] = [store.process(), store.process({ issuer: 'https://other.example' })]
    const drawn = new Drawn()
    const list = await drawn.from(ours, 1)
    expect(await drawn.from(theirs, 1)).not.to.equal(list)
    expect(await ours.lists()).to.deep.equal([list])
    expect(await theirs.vouchFor(list)).to.equal(false)
  })

  it('are of another list, where the blocks of one are those of others', async () => {
    const store = new Store()
    const full = await new Drawn().from(store.process(), 1)
    await settled()
    const { adapter } = store
    const asIfFull = Object.create(adapter, {
      consumeOnce: {
        value: (id: string) =>
          id.includes(full) ? Promise.resolve(false) : adapter.consumeOnce(id),
      },
    }) as typeof adapter
    const now = () => store.time
    const process = statusIndices(asIfFull, { issuer: ISSUER, tokenLife: TOKEN_LIFE, now })
    store.calls.length = 0
    const drawn = new Drawn()
    await drawn.from(process, 5000)
    expect(drawn.lists.has(full)).to.equal(false)
    expect(store.calls.length).to.be.lessThan(100)
  })

  it('are of lists that are named again, where that was overwritten', async () => {
    const store = new Store()
    let named = ''
    store.onCall = (method, id) => {
      if (method === 'upsert' && String(id).startsWith('status-lists:')) named = String(id)
    }
    const [one, other] = [store.process(), store.process()]
    const drawn = new Drawn()
    await drawn.from(one, 1)
    await settled()
    await store.adapter.upsert(named, { names: [] }, 3600)
    await drawn.from(other, 1)
    expect(await one.lists()).to.have.lengthOf(1)
    store.time += LOOK
    await drawn.from(one, 1)
    await settled()
    expect(await other.lists()).to.have.members([...drawn.lists.keys()])
    expect(drawn.lists.size).to.equal(2)
  })

  it('of two processes that begin in one moment are all of lists that are named', async () => {
    const store = new Store()
    const processes = [store.process(), store.process(), store.process()]
    const drawn = new Drawn()
    for (const index of await Promise.all(processes.map((each) => each.draw()))) drawn.add(index)
    store.time += LOOK
    for (const process of processes) await drawn.from(process, 1)
    await settled()
    const [one] = processes
    expect(one && (await one.lists())).to.include.members([...drawn.lists.keys()])
    expect(drawn.twice).to.equal(0)
  })
})
