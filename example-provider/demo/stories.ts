// The start page: what a newcomer can play, in two browsers.
import { type Html, html } from './html.ts'
import type { Words } from './words/en.ts'

/** A step of one person, on a page of their own, or (without a path) on the one that they have open. */
interface Step {
  readonly by: string
  readonly path?: string
  readonly open?: string
}

type Start = Words['start']

/** The steps of each story, in the order of its words. */
function stepsOf(words: Start): readonly (readonly Step[])[] {
  const [ticket, change, customer, emergency, objection] = words.stories
  const form = (by: string, userId: string, ticketId: string, reason = '', access = 'read') => ({
    by,
    path: `/console/act?${new URLSearchParams({ user: userId, ticket: ticketId, reason, access })}`,
    open: words.form(ticketId),
  })
  const inbox = { by: 'grace', path: '/console', open: words.inbox }
  const account = (by: string) => ({ by, path: '/account', open: words.account })
  return [
    [form('olivia', 'alice', 'SUP-301', ticket?.reason)],
    [form('olivia', 'chidi', 'SUP-302', change?.reason, 'change'), inbox, { by: 'olivia' }],
    [form('olivia', 'dana', 'SUP-303', customer?.reason), account('dana'), { by: 'olivia' }],
    [form('oscar', 'chidi', 'SUP-304', emergency?.reason, 'change'), inbox],
    [form('oscar', 'bob', 'SUP-305', objection?.reason), account('bob'), inbox],
  ]
}

export function stories(words: Start): Html {
  const steps = stepsOf(words)
  return html`${words.stories.map(
    ({ title, about, press, see }, number) => html`<article>
<h2>${number + 1}. ${title}</h2>
<p>${about}</p>
<ol>
${(steps[number] ?? []).map(
  (step, at) => html`<li>${inWords(step, press[at] ?? [], words)}</li>
`,
)}</ol>
<p><strong>${words.seeLabel}</strong> ${see}</p>
</article>
`,
  )}`
}

function inWords({ by, path, open }: Step, controls: readonly string[], words: Start): Html {
  const who = html`<strong>${by}</strong>`
  const first =
    path === undefined ? words.stay(who) : words.open(who, html`<a href="${path}">${open}</a>`)
  const names = controls.map((name, at) => {
    const link = at === 0 ? '' : name === controls[at - 1] ? words.confirm : words.andThen
    return html`${link}<kbd>${name}</kbd>`
  })
  return html`${first} ${words.press(html`${names}`)}`
}
