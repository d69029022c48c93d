import { render } from 'preact'
import { Gate } from './gate.tsx'
import { words } from './text.tsx'

render(
  <Gate
    product={words.account.title}
    about={words.account.signInAbout}
    enter={async () => ({ close() {} })}
  >
    {() => null}
  </Gate>,
  document.body,
)
