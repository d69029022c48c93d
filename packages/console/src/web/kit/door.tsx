import type { ComponentChildren } from 'preact'
import type { Opening, PageView } from '../pages/table.ts'
import { type At, text } from './at.ts'
import { ActionButton, Hidden } from './form.tsx'
import { Mark } from './frame.tsx'

/** The frame of a page outside the console: the way in, or why there is none. */
export function Door({ children }: { children: ComponentChildren }) {
  return (
    <main id="content" class="door">
      <Mark />
      {children}
    </main>
  )
}

/** @param door.to the address below the base to which the sign-in leads */
export function signInDoor(
  door: { product: string; about: string; trouble: string | undefined; to: string },
  { base, words }: At,
): PageView {
  const { product, about, trouble, to } = door
  return {
    title: product,
    about,
    body: (
      <>
        {trouble && (
          <p class="message trouble" role="alert">
            {trouble}
          </p>
        )}
        <form method="get" action={`${base}/enter`}>
          <Hidden of={{ to }} />
          <button type="submit" class="button primary">
            {words.web.signIn}
          </button>
        </form>
      </>
    ),
  }
}

/** For a person who signed in and has no role. */
export function turnedAway(person: string, at: At): PageView {
  const { web } = at.words
  return {
    title: web.turnedAwayTitle,
    about: text(at, web.turnedAway, { person }),
    body: (
      <div class="actions">
        <a class="button primary" href={`${at.base}/enter?prompt=login`}>
          {web.signInOther}
        </a>
        <ActionButton action="/sign-out">{web.signOut}</ActionButton>
      </div>
    ),
  }
}

/**
 * A form that came after the sign-in was over. Its values stay: the person signs in in a new tab,
 * and sends it again.
 *
 * @param action the address that the form was sent to
 */
export function lateForm(
  action: string,
  values: Readonly<Record<string, string>>,
  { base, words }: At,
): PageView {
  const { web } = words
  const { from, form, reader, once, ...typed } = values
  return {
    title: web.late.title,
    about: web.late.about,
    body: (
      <>
        <p>
          <a class="button" href={`${base}/enter`} target="_blank" rel="noopener">
            {web.signIn}
          </a>
        </p>
        <form method="post" action={base + action} class="card form">
          <Hidden of={{ from, form, reader, once }} />
          {Object.entries(typed).map(([name, value]) => (
            <input key={name} name={name} value={value} aria-label={name} readOnly />
          ))}
          <button type="submit" class="button primary">
            {web.late.send}
          </button>
        </form>
      </>
    ),
  }
}

/** Posts a subject token to an application. The script sends the form, and takes it off the page. */
export function handOverDoor({ url, name, field }: Opening, at: At): PageView {
  return {
    title: name,
    body: (
      <form method="post" action={url} data-send>
        {field && <Hidden of={{ [field.name]: field.value }} />}
        <button type="submit" class="button primary">
          {text(at, at.words.web.openApplication, { application: name })}
        </button>
      </form>
    ),
  }
}
