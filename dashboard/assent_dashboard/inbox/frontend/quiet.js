// Streamlit's own dialog about a cut network takes the focus and the keys of the page. The inbox tells of the network
// itself, so the dialog is closed as soon as it opens.

const TITLE = "Connection error";

/** Gives what ends it. */
export function closeConnectionErrors(page) {
  const look = () => {
    for (const dialog of page.querySelectorAll("[data-testid=stDialog]")) {
      if (dialog.textContent.startsWith(TITLE)) dialog.querySelector("button[aria-label=Close]")?.click();
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(page.body, { childList: true, subtree: true });
  look();
  return () => observer.disconnect();
}
