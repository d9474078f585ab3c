// The code editor of the exercises: CodeMirror with Python, in the site's own colours. Bundled by web/builder/editor.py.

import { defaultKeymap, history, historyKeymap, indentLess, indentMore, isolateHistory, undo } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { pythonLanguage } from '@codemirror/lang-python'
import { EditorState, StateEffect, StateField, Transaction } from '@codemirror/state'
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--current)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--positive)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--reference)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.definition(tags.variableName), tags.function(tags.definition(tags.variableName))], fontWeight: '600' },
])

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--wash)', fontSize: '0.875rem' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0', minHeight: '14rem' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--wash)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--line) 45%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in srgb, var(--focus) 28%, transparent) !important' },
  // The layer above is drawn; a second tint from the browser and coloured words on it would be hard to read.
  '.cm-line::selection, .cm-line ::selection': { color: 'var(--ink) !important', backgroundColor: 'transparent !important' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-matchingBracket': { backgroundColor: 'transparent !important', outline: '1px solid var(--line-strong)' },
  '.cm-faulty': { backgroundColor: 'color-mix(in srgb, var(--fault) 16%, transparent)', boxShadow: 'inset 3px 0 var(--fault)' },
})

const setFaulty = StateEffect.define()
const faulty = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    for (const effect of change.effects) {
      if (!effect.is(setFaulty)) continue
      const { doc } = change.state
      if (!(effect.value >= 1 && effect.value <= doc.lines)) return Decoration.none
      return Decoration.set([Decoration.line({ class: 'cm-faulty' }).range(doc.line(effect.value).from)])
    }
    // What is being typed over is not the faulty text any more.
    return change.docChanged ? Decoration.none : marks
  },
  provide: field => EditorView.decorations.from(field),
})

/**
 * @param {{parent: HTMLElement, text: string, label: string, described: string, changed: (text: string) => void,
 *   keys: Record<string, () => void>}} options `keys`: what key combinations do, such as `Mod-Enter`
 */
export function createEditor({ parent, text, label, described, changed, keys }) {
  // After Escape the next Tab leaves the editor; anything else makes Tab indent again.
  let leaving = false
  const indent = step => view => {
    if (!leaving) return step(view)
    leaving = false
    return false
  }
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), faulty,
        indentUnit.of('    '), EditorState.tabSize.of(4), EditorView.lineWrapping,
        pythonLanguage, syntaxHighlighting(colours), look,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-describedby': described, autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false' }),
        EditorView.updateListener.of(update => { if (update.docChanged) changed(update.state.doc.toString()) }),
        EditorView.domEventHandlers({
          keydown(event) {
            if (event.key === 'Escape') leaving = true
            else if (event.key !== 'Tab' && event.key !== 'Shift') leaving = false
            return false
          },
          mousedown() { leaving = false; return false },
        }),
        keymap.of([
          ...Object.entries(keys).map(([key, run]) => ({ key, preventDefault: true, run: () => { run(); return true } })),
          { key: 'Tab', run: indent(indentMore), shift: indent(indentLess) },
          ...historyKeymap, ...defaultKeymap,
        ]),
      ],
    }),
  })
  return {
    /** Replaces everything, as one step that can be taken back; the cursor stays in the part that is the same. */
    replace(next) {
      const now = view.state.doc.toString()
      const most = Math.min(now.length, next.length)
      let from = 0, tail = 0
      while (from < most && now[from] === next[from]) from += 1
      while (tail < most - from && now.at(-1 - tail) === next.at(-1 - tail)) tail += 1
      const changes = { from, to: now.length - tail, insert: next.slice(from, next.length - tail) }
      view.dispatch({ changes, annotations: isolateHistory.of('full') })
    },
    undo: () => undo(view),
    focus: () => view.focus(),
    /** Shows a line as faulty; null shows none. */
    mark(line) { view.dispatch({ effects: setFaulty.of(line), annotations: Transaction.addToHistory.of(false) }) },
    /** Puts the cursor at the beginning of a line. */
    go(line) {
      const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines))
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true })
      view.focus()
    },
  }
}
