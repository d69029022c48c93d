import { type Html, html } from '../http/page.ts'

/** The views before an operator can act: signed out, and refused. */
export function frontViews(password: string | undefined): Html {
  const who =
    password &&
    html`<p>Sign in as <b>olivia</b>, who works in support, with the password
<code>${password}</code>. Then choose Alice Ng.</p>`
  return html`
<section id="view-signed-out" data-view hidden>
<h1 tabindex="-1">Support console</h1>
<p>See what a customer sees, as that customer, for a few minutes, for a reason that is written down.</p>
<ol>
<li>Choose a customer, and say why.</li>
<li>Act as them. A banner stays on top, and the time runs.</li>
<li>End it. Who acted as whom stays in the audit.</li>
</ol>
${who}
<p class="actions"><button type="button" data-slot="sign-in">Sign in</button></p>
</section>

<section id="view-turned-away" data-view hidden>
<h1 tabindex="-1">This console is for support staff</h1>
<p>You are signed in as <b data-slot="subject"></b>, who does not work in support, so there is nothing
to do for you here.</p>
<ul>
<li>Are you a customer? <a href="/account">Your account</a> shows who acted as you, and when.</li>
<li>Do you work in support? Sign in as yourself.</li>
</ul>
<p class="actions">
<button type="button" data-slot="sign-in-again">Sign in as another user</button>
<button type="button" class="secondary" data-slot="leave">Sign out</button>
</p>
</section>`
}
