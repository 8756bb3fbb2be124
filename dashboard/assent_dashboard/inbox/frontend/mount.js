// Mounting the inbox where Streamlit has made room for it. Streamlit calls anew whenever the page's address changes, and
// ends the call before; the page itself goes on over that, and ends only when nobody called again.

import { View } from "./view.js";

const ENDS_MS = 300;
const views = new WeakMap();

/** Gives what ends this call. */
export function mount({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".inbox");
  let view = views.get(root);
  if (!view) {
    view = new View(root);
    views.set(root, view);
  }
  const run = (view.run = (view.run || 0) + 1);
  view.look(data, setTriggerValue);
  return () =>
    setTimeout(() => {
      if (view.run !== run) return;
      view.destroy();
      views.delete(root);
    }, ENDS_MS);
}
