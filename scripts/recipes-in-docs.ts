import { readFileSync, writeFileSync } from 'node:fs'

// docs/adapters.md shows parts of the recipes that `npm run test:all -- recipes` runs: the code between
// `#region recipe` and `#endregion`. Run this script after a recipe changes.

const docs = new URL('../docs/adapters.md', import.meta.url)
const recipes = new URL('../test/recipes/', import.meta.url)
const block = /(\(\.\.\/test\/recipes\/(\S+)\)\n\n```\w+\n)[\s\S]*?\n```\n/g

/** The file names of the recipes that the text shows. */
export function recipesIn(markdown: string): string[] {
  return [...markdown.matchAll(block)].map(([, , file = '']) => file)
}

/** Replaces each block of the text by the current recipe. */
export function withRecipes(markdown: string): string {
  return markdown.replace(block, (_, head: string, file: string) => {
    return `${head}${pieces(readFileSync(new URL(file, recipes), 'utf8')).join('\n\n')}\n\`\`\`\n`
  })
}

/** Adds the end of a class to a part that ends inside it, so that the block is complete. */
function pieces(source: string): string[] {
  const regions = source.matchAll(/#region recipe\n([\s\S]*?)\n *\/\/ #endregion/g)
  return [...regions].map(([, piece = '']) => {
    const open = piece.split('\n').at(-1)?.startsWith(' ')
    return open ? `${piece}\n\n  // …\n}` : piece
  })
}

if (import.meta.main) writeFileSync(docs, withRecipes(readFileSync(docs, 'utf8')))
