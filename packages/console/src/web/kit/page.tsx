import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Back } from './back.tsx'
import { setTitle } from './title.ts'

/** One page of the application: its heading gets the focus when the page is shown. */
export function Page(props: {
  title: string
  about?: ComponentChildren
  /** Above the heading: where it leads back to, and the words of it. */
  back?: { readonly to: string; readonly label: string }
  /** A page with a form, which is read from top to bottom. */
  narrow?: true | undefined
  children?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    setTitle(props.title)
    heading.current?.focus()
  }, [props.title])
  return (
    <section class={props.narrow ? 'page narrow' : 'page'}>
      {props.back && (
        <p class="back-line">
          <Back to={props.back.to}>{props.back.label}</Back>
        </p>
      )}
      <h1 ref={heading} tabIndex={-1}>
        {props.title}
      </h1>
      {props.about && <p class="about">{props.about}</p>}
      {props.children}
    </section>
  )
}
