import type { ComponentChildren } from 'preact'
import type { Opening } from '../pages/table.ts'
import type { SignInTrouble } from '../sign-in/code-flow.ts'
import { type At, text } from './at.ts'
import { ActionButton } from './form.tsx'
import { Mark } from './frame.tsx'
import { Text } from './text.tsx'

/** Outside the console: the way in, or why there is none. */
function Door({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main id="content" class="door">
      <Mark />
      <section class="page">
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  )
}

/** @param props.to the address below the base to which the sign-in leads */
export function SignInDoor(
  props: { product: string; about: string; why: SignInTrouble | undefined; to: string },
  { base, words }: At,
) {
  const { product, about, why, to } = props
  const trouble = why === undefined || why === 'needed' ? undefined : words.web.signInTroubles[why]
  return (
    <Door title={product}>
      <p class="about">{about}</p>
      {trouble && (
        <p class="message trouble" role="alert">
          {trouble}
        </p>
      )}
      <form method="get" action={`${base}/enter`}>
        <input type="hidden" name="to" value={to} />
        <button type="submit" class="button primary">
          {words.web.signIn}
        </button>
      </form>
    </Door>
  )
}

/** For a person who signed in and has no role. */
export function TurnedAway({ person }: { person: string }, { base, words }: At) {
  return (
    <Door title={words.web.turnedAwayTitle}>
      <p class="about">
        <Text of={words.web.turnedAway} person={<b class="person">{person}</b>} />
      </p>
      <div class="actions">
        <a class="button primary" href={`${base}/enter?prompt=login`}>
          {words.web.signInOther}
        </a>
        <ActionButton action="/sign-out">{words.web.signOut}</ActionButton>
      </div>
    </Door>
  )
}

/**
 * A form that came after the sign-in was over. Its values stay: the person signs in in a new tab,
 * and sends it again.
 *
 * @param props.action the address that the form was sent to
 */
export function LateForm(
  props: { action: string; values: Readonly<Record<string, string>> },
  { base, words }: At,
) {
  const { action, values } = props
  const { from, form, reader, once, ...typed } = values
  return (
    <Door title={words.web.late.title}>
      <p class="about">{words.web.late.about}</p>
      <p>
        <a class="button" href={`${base}/enter`} target="_blank" rel="noopener">
          {words.web.signIn}
        </a>
      </p>
      <form method="post" action={base + action} class="card form">
        {Object.entries({ from, form, reader, once }).map(
          ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
        )}
        {Object.entries(typed).map(([name, value]) => (
          <input key={name} name={name} value={value} aria-label={name} readOnly />
        ))}
        <button type="submit" class="button primary">
          {words.web.late.send}
        </button>
      </form>
    </Door>
  )
}

/** Posts a subject token to an application. The script sends the form, and takes it off the page. */
export function HandOverForm({ of: { url, name, field } }: { of: Opening }, at: At) {
  return (
    <Door title={name}>
      <form method="post" action={url} data-send>
        <input type="hidden" name={field?.name} value={field?.value} />
        <button type="submit" class="button primary">
          {text(at, at.words.web.openApplication, { application: name })}
        </button>
      </form>
    </Door>
  )
}

/** Something is wrong, and there is no page to say it on. */
export function ProblemPage(props: { title: string; about: string }, { base, words }: At) {
  const { title, about } = props
  return (
    <Door title={title}>
      <p class="about">{about}</p>
      <a class="button" href={base}>
        {words.web.toStart}
      </a>
    </Door>
  )
}
