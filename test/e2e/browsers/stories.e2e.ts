import { expect } from 'chai'
import { shared } from '../../support/shared.ts'
import { launchExample } from '../support/server.ts'
import { inEachBrowser } from './support/browsers.ts'
import { type Deed, type Look, type Person, sitDown, until } from './support/person.ts'
import { signIn } from './support/sign-in.ts'

/** The most that a step takes. */
type Most = readonly [clicks: number, fields: number]

/** Firefox loses the last request of a page at times. Then it runs on, and the strip leads back. */
const LOST_AFTER_MS = 5000

/** From an end elsewhere until the customer's data is out of sight. */
const COVERED_WITHIN_MS = 8000

/** A phone. */
const PHONE = { width: 390, height: 844 } as const

/**
 * Stories of people with the product, in the example as `npm start` shows it, with a year in its audit. No step may
 * take more clicks, or more fields, than it does here. The seconds are printed.
 */
inEachBrowser('the stories', (browser) => {
  const people = new Map<string, Person>()
  const deeds: Record<Deed, number> = { click: 0, field: 0 }
  const shops: Look[] = []
  const walked: string[] = []

  const example = shared(() => launchExample({ STORAGE_URL: '' }, '--with-history'))
  afterEach(endAll)
  after(async () => {
    for (const person of people.values()) await person[Symbol.asyncDispose]()
    console.log(walked.map((line) => `      ${line}`).join('\n'))
  })

  /** Each person has a browser, is signed in, and looks at this page. */
  async function person(login: string, path: string): Promise<Person> {
    const known = people.get(login)
    if (known) {
      await known.tab.goto(example.url + path)
      await known.sees('Sign out')
      return known
    }
    const sat = await sitDown(browser, (deed) => {
      deeds[deed] += 1
    })
    people.set(login, sat)
    await signIn(sat, login, example.url + path)
    return sat
  }

  /** The form, by a link of a ticket system. */
  const form = (login: string, user: string, ticket: string, reason = 'The parcel is late') =>
    person(login, `/console/act?${new URLSearchParams({ user, ticket, reason })}`)

  async function step<T>(name: string, [clicks, fields]: Most, walk: () => Promise<T>): Promise<T> {
    Object.assign(deeds, { click: 0, field: 0 })
    const began = Date.now()
    const came = await walk()
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    const counts = `${deeds.click} clicks, ${deeds.field} fields`
    walked.push(`${browser.name}: ${name}: ${counts}, ${seconds} s`)
    expect(deeds.click, `${name}: clicks`).to.be.at.most(clicks)
    expect(deeds.field, `${name}: fields`).to.be.at.most(fields)
    return came
  }

  /** A press that opens the shop as a customer. */
  async function opens(from: Person, name: string, press: Look = from): Promise<Look> {
    const shop = await from.opening(() => press.press(name))
    shops.push(shop)
    await shop.sees(' acts as ')
    await shop.sees('Orders')
    return shop
  }

  /** So that no story begins while another one runs. */
  async function endAll(): Promise<void> {
    for (const shop of shops.splice(0)) {
      const text = await shop.text().catch(() => undefined)
      if (text === undefined) continue
      if (text.includes(' acts as ')) {
        await shop.press('End')
        await shop.sees('You no longer act as')
      }
      await shop.tab.close()
    }
  }

  it('a link leads to the screen of the customer, and from there to a change, and to the end', async () => {
    const olivia = await form('olivia', 'alice', 'SUP-401', '')
    const first = await step('from the link to the customer’s orders', [1, 1], async () => {
      await olivia.fill('Reason', 'The parcel did not arrive')
      return opens(olivia, 'Act as Alice Ng')
    })
    await first.sees('Look only')
    const second = await step('from looking to changing', [1, 0], async () => {
      const shop = await opens(olivia, 'Continue with changes')
      await shop.sees('Save note')
      return shop
    })
    await first.sees('You go on in another tab')
    await step('the end, in the shop', [1, 0], async () => {
      await second.press('End')
      await second.sees('You no longer act as Alice Ng')
    })
  })

  it('after a reload, and after the tab was closed, nothing is typed again', async () => {
    const olivia = await form('olivia', 'alice', 'SUP-402')
    const shop = await opens(olivia, 'Act as Alice Ng')
    await shop.tab.reload()
    const next = await step('on again after a reload', [2, 0], async () => {
      await shop.press('Continue')
      return opens(olivia, 'Continue for SUP-402', shop)
    })
    await olivia.sees("You're acting as Alice Ng")
    await next.tab.close()
    await person('olivia', '/console')
    const closedAt = Date.now()
    const way = await until('a way on', async () => {
      const text = await olivia.text()
      if (text.includes('Continue for SUP-402')) return 'Continue for SUP-402'
      const isLost = browser.name === 'Firefox' && Date.now() > closedAt + LOST_AFTER_MS
      return isLost ? 'End' : undefined
    })
    // Without a beacon at the close, it still runs.
    await step('on again after the tab was closed', [way === 'End' ? 2 : 1, 0], async () => {
      if (way === 'End') await olivia.press('End')
      await opens(olivia, 'Continue for SUP-402')
    })
  })

  it('a second customer takes one click, and ordinary work raises no alarm', async () => {
    const grace = await person('grace', '/console')
    await grace.sees('Inbox')
    const before = await waitingFor(grace)
    const olivia = await form('olivia', 'alice', 'SUP-403')
    const first = await opens(olivia, 'Act as Alice Ng')
    await form('olivia', 'bob', 'SUP-404')
    await step('a second customer while acting', [1, 0], async () => {
      const second = await opens(olivia, 'End that and act as Bob Marsh')
      await second.sees('B-2001')
    })
    await first.sees('You no longer act as Alice Ng')
    expect(await waitingFor(grace)).to.equal(before)
  })

  it('a lead approves a change, takes it back while it is used, and refuses another one', async () => {
    const grace = await person('grace', '/console')
    const olivia = await form('olivia', 'chidi', 'SUP-405')
    await step('an operator asks for an approval', [3, 0], async () => {
      await olivia.choose('Look and change')
      await olivia.choose('10 minutes')
      await olivia.press('Ask for approval')
      await olivia.sees('Grace Lindqvist can decide')
    })
    await step('a lead approves', [2, 0], async () => {
      await grace.press('Approve: Olivia Okafor as Chidi Okeke')
      await grace.sees('From now on, Olivia Okafor may act as Chidi Okeke')
      await grace.press('Approve')
      await grace.sees('Approved.')
    })
    const shop = await step('the operator learns of it, and starts', [1, 0], () =>
      opens(olivia, 'Act as Chidi Okeke'),
    )
    expect(await shop.text(), 'the time that was chosen').to.match(/(?:10:00|9:[45]\d) left/)
    await step('a lead takes it back, and the shop is covered', [3, 0], async () => {
      await grace.press('See what is in force')
      await grace.press('Take back: Olivia Okafor as Chidi Okeke')
      await grace.sees('This ends what Olivia Okafor runs under it')
      await grace.press('Take back')
      const ended = Date.now()
      await shop.sees('You no longer act as Chidi Okeke')
      expect(Date.now() - ended, 'the page is covered in time').to.be.at.most(COVERED_WITHIN_MS)
    })

    await form('olivia', 'chidi', 'SUP-406')
    await olivia.choose('Look and change')
    await olivia.press('Ask for approval')
    await step('a lead refuses', [3, 1], async () => {
      await grace.press('Inbox')
      await grace.press('Refuse: Olivia Okafor as Chidi Okeke')
      await grace.sees('Olivia Okafor reads your note')
      await grace.fill('Note', 'Call the customer first')
      await grace.press('Refuse')
      await grace.sees('You refused it.')
    })
    await olivia.sees('Call the customer first')
    expect(await olivia.text()).to.not.include('Act without approval')
  })

  it('a customer is asked, and says at any time that it is over', async () => {
    const dana = await person('dana', '/account')
    const olivia = await form('olivia', 'dana', 'SUP-407')
    const shop = await step('a customer is asked, and the operator starts', [3, 0], async () => {
      await olivia.press('Ask for approval')
      await dana.press('Allow: Olivia Okafor')
      return opens(olivia, 'Act as Dana Schmidt')
    })
    await step('the customer allows it always', [2, 0], async () => {
      await dana.choose('Yes, support may help without asking')
      await dana.press('Save')
      await dana.sees('until you say otherwise')
    })
    await step('the customer wants to be asked, and the shop is covered', [2, 0], async () => {
      await dana.choose('No, ask me each time')
      await dana.press('Save')
      await shop.sees('You no longer act as Dana Schmidt')
    })
    await form('olivia', 'erin', 'SUP-411')
    await olivia.sees('Kestrel Ltd has closed its accounts to support.')
  })

  it('an operator acts in an emergency, and a lead looks at it', async () => {
    const oscar = await form('oscar', 'chidi', 'SUP-408')
    await oscar.choose('Look and change')
    await oscar.sees('Act without approval')
    const shop = await step('an emergency, once an approval is missing', [2, 1], async () => {
      await oscar.press('Act without approval')
      await oscar.sees('Why can this not wait?')
      await oscar.fill('Why can this not wait?', 'The order leaves in five minutes')
      return opens(oscar, 'Start without approval')
    })
    await shop.sees('Without approval')
    const grace = await person('grace', '/console')
    await step('a lead looks at it afterwards', [2, 1], async () => {
      await grace.press('I looked at it')
      await grace.fill('Note', 'It was right')
      await grace.press('I looked at it')
      await grace.sees('Noted.')
    })
  })

  it('a customer objects on a phone, and the lead sees it at once', async () => {
    const grace = await person('grace', '/console')
    const oscar = await form('oscar', 'bob', 'SUP-409')
    const shop = await opens(oscar, 'Act as Bob Marsh')
    const mail = await oscar.open()
    const link = await until('a link in the mail', async () => {
      await mail.tab.goto(`${example.url}/mail`)
      return /Oscar Öhman acts as you\..*?(http\S+)/.exec(await mail.text())?.[1]
    })
    await mail.tab.close()
    const bob = await person('bob', new URL(link).pathname)
    await bob.tab.setSize(PHONE)
    await bob.sees('Oscar Öhman acts as you')
    expect(await isTooWide(bob), 'the account').to.equal(false)
    await step('a customer objects, and the lead has an alarm', [2, 1], async () => {
      await bob.press('I did not ask for this')
      await bob.sees('We tell the people who lead the support team at once.')
      const height = await bob.tab.evaluate<number>(
        "document.querySelector('details[open] > form').getBoundingClientRect().height / innerHeight",
      )
      expect(height, 'the part of the window that the form takes').to.be.below(0.75)
      await bob.fill('Is there anything', 'I never called')
      await bob.press('Tell them')
      await grace.sees('says: I did not ask for this')
    })
    await shop.sees('You no longer act as Bob Marsh')
    await bob.sees('Oscar Öhman cannot act as you')
    expect(await isTooWide(bob), 'the account, afterwards').to.equal(false)
  })

  it('a lead stops an operator', async () => {
    const olivia = await form('olivia', 'alice', 'SUP-410')
    const shop = await opens(olivia, 'Act as Alice Ng')
    const grace = await person('grace', '/console')
    await step('a lead stops an operator', [3, 0], async () => {
      await grace.press('Stop Olivia Okafor')
      await grace.sees('This ends what Olivia Okafor runs')
      await grace.press('Stop Olivia Okafor')
      await shop.sees('You no longer act as Alice Ng')
    })
  })
})

/** The number of things that wait, as the title of the page has it. */
async function waitingFor(look: Look): Promise<string> {
  const title = await look.tab.evaluate<string>('document.title')
  return /^\((\d+)\)/.exec(title)?.[1] ?? '0'
}

function isTooWide(look: Look): Promise<boolean> {
  return look.tab.evaluate('document.documentElement.scrollWidth > innerWidth')
}
