import { html } from '../http/page.ts'

/** The view that explains the token and the requests. */
export const insideView = html`
<section id="view-inside" data-view hidden>
<h1 tabindex="-1">Look inside</h1>
<p>The access token that acts as <b data-slot="name"></b>, and how it came about.</p>

<h2>What the token says</h2>
<div class="overflow-auto" role="region" aria-label="Claims of the access token" tabindex="0">
<table class="wide">
<thead><tr><th scope="col">Claim</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
<tbody id="claims"></tbody>
</table>
</div>
<template id="claim-row"><tr><th scope="row"><code class="claim" data-slot="claim"></code></th><td><code class="value" data-slot="value"></code></td><td data-slot="meaning"></td></tr></template>

<h2>How it came about</h2>
<p>Each as a command to copy. Tokens stand as shell variables: set those first, or show the tokens themselves.</p>
<label><input type="checkbox" role="switch" id="reveal"> Show the tokens themselves</label>
<p id="revealed-note" class="note" hidden>A person with the operator's token can act as any customer until it
expires. Do not paste it anywhere.</p>
<div id="exchanges"></div>
<template id="exchange">
<article>
<header><h3 data-slot="title"></h3></header>
<p data-slot="about"></p>
<pre tabindex="0" role="region" data-slot="command"></pre>
<p class="actions"><button type="button" class="secondary outline small" data-slot="copy">Copy the command</button> <small role="status" data-slot="copied"></small></p>
<details><summary>The answer</summary><pre tabindex="0" role="region" data-slot="answer"></pre></details>
</article>
</template>
</section>`
