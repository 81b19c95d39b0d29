/**
 * Lets xterm set its rules and colours although the content security policy blocks <style> elements and style attributes. Rules go to a
 * constructed style sheet and colours to the style property of an element; the policy allows both, because they cannot come from injected HTML.
 */
export function allowXtermStyles(): void {
  const create = document.createElement.bind(document)
  document.createElement = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? standIn(create('i')) : create(name, options)
  const { setAttribute } = HTMLSpanElement.prototype
  HTMLSpanElement.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value
    else setAttribute.call(this, name, value)
  }
}

/** An element that turns its text into a style sheet of the document, until it is removed. */
function standIn(element: HTMLElement): HTMLElement {
  const sheet = adoptSheet('')
  element.hidden = true
  let text = ''
  Object.defineProperty(element, 'textContent', {
    get: () => text,
    set: (rules: string) => {
      text = rules
      sheet.replaceSync(rules)
    },
  })
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    Element.prototype.remove.call(element)
  }
  return element
}

/** Adds a style sheet to the document. */
export function adoptSheet(rules: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(rules)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  return sheet
}
