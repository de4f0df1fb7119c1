"""The page in a real headless Chromium, driven through its own driver.

Skipped where no browser or no selenium is installed; INTERLEAF_REQUIRE_BROWSER=1 makes that a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from interleaf import place_context_blocks
from interleaf.report import render_report

if TYPE_CHECKING:
    from pathlib import Path

Open = Callable[..., Any]

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
HOSTILE = (
    "<script>window.hit=1</script></style></script><img src=x onerror=window.hit=1><svg onload=window.hit=1>"
    "<a href='javascript:window.hit=1' autofocus onfocus=window.hit=1>x</a><iframe src=javascript:parent.hit=1>"
    "<base href=//x><meta http-equiv=refresh content='0;url=about:blank'>{{ 7*7 }}\u202eabc\u202c\x00\ud800"
)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    reason = ""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ModuleNotFoundError:
        reason = "selenium is not installed"
    if BROWSER is None or DRIVER is None:
        reason = "chromium and its driver are not installed"
    if reason:
        if os.environ.get("INTERLEAF_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1300,800",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def open_page(driver: Any, tmp_path: Path) -> Open:
    def open_request(request: dict[str, Any], previous: Any = None, fragment: str = "") -> Any:
        result = place_context_blocks(request["messages"], request["blocks"], request["layout"])
        file = tmp_path / "page.html"
        file.write_text(render_report(result, previous=previous), encoding="utf-8")
        driver.get("about:blank")
        driver.get_log("browser")
        driver.get(file.as_uri() + fragment)
        return driver

    return open_request


def errors(driver: Any) -> list[str]:
    return [entry["message"] for entry in driver.get_log("browser")]


def is_in_view(driver: Any, element_id: str) -> bool:
    script = """const box = document.getElementById(arguments[0]).getBoundingClientRect();
        return box.height > 0 && box.bottom > 0 && box.top < innerHeight"""
    return bool(driver.execute_script(script, element_id))


def press(driver: Any, keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(driver).send_keys(keys).perform()


def focused(driver: Any) -> str:
    return str(driver.execute_script("return document.activeElement.id"))


def long_chat(count: int) -> dict[str, Any]:
    messages = [
        {"role": "user" if index % 2 else "assistant", "content": f"Message {index}. " * 20} for index in range(count)
    ]
    blocks = [
        {
            "id": f"lore/{index}",
            "position": "at_depth",
            "depth": 7 * index,
            "role": "system",
            "content": f"Lore {index}.",
        }
        for index in range(count // 10)
    ]
    return {"messages": messages, "blocks": blocks, "layout": {"conversation": {"message_indices": list(range(count))}}}


def test_the_page_loads_without_a_word_on_the_console(open_page: Open, placing: dict[str, Any]) -> None:
    driver = open_page(placing)
    assert errors(driver) == []
    assert len(driver.find_elements("css selector", "li.message")) == 16
    # The style and the script are the ones that the page's own policy allows: both took effect.
    assert driver.execute_script("return getComputedStyle(document.querySelector('.columns')).display") == "grid"
    assert driver.execute_script("return getComputedStyle(document.querySelector('mark.g-outlet')).boxShadow") != "none"


def test_a_click_on_a_block_lands_on_its_message(open_page: Open) -> None:
    request = long_chat(300)
    driver = open_page(request)
    for number in (0, 17, 29):
        link = driver.find_element("css selector", f"#r{number} a")
        target = link.get_attribute("href").split("#")[1]
        driver.execute_script("scrollTo(0, 0)")
        link.click()
        assert is_in_view(driver, target)
        assert focused(driver) == target
        assert link.text in driver.find_element("id", target).text
        assert "here" in driver.find_element("id", target).get_attribute("class")
    assert errors(driver) == []


def test_a_click_on_an_embedded_block_lands_on_its_text_in_the_host(open_page: Open, placing: dict[str, Any]) -> None:
    driver = open_page(placing)
    row = next(row for row in driver.find_elements("css selector", "tbody tr") if "note/length" in row.text)
    row.find_element("tag name", "a").click()
    mark = driver.switch_to.active_element
    assert mark.tag_name == "mark"
    assert "最多两句话" in mark.text
    assert is_in_view(driver, mark.get_attribute("id"))


def test_a_jump_opens_the_fold_it_leads_into(open_page: Open) -> None:
    messages = [{"role": "system", "content": "filler " * 2_000 + "{{outlet::x}}"}]
    block = {"id": "deep", "position": "outlet", "outlet_name": "x", "content": "found"}
    request = {"messages": messages, "blocks": [block], "layout": {"outlets": {"x": 0}}}
    driver = open_page(request)
    assert not is_in_view(driver, "e0")
    driver.find_element("css selector", "#r0 a").click()
    assert is_in_view(driver, "e0")
    driver = open_page(request, fragment="#e0")
    assert is_in_view(driver, "e0")


def test_content_is_text_and_nothing_of_it_runs(open_page: Open, placing: dict[str, Any]) -> None:
    for index in (0, 4):
        placing["blocks"][index]["content"] = HOSTILE
    placing["blocks"][1]["id"] = HOSTILE.replace("\ud800", "")
    placing["blocks"][-1]["content"] = HOSTILE
    placing["messages"][1] = {"role": HOSTILE, "content": [{"type": HOSTILE}, {"type": "text", "text": HOSTILE}]}
    driver = open_page(placing)
    assert driver.execute_script("return window.hit") is None
    assert errors(driver) == []
    assert driver.current_url.endswith("page.html")
    shown = driver.find_element("css selector", "#m0 .text").get_attribute("textContent")
    assert shown == HOSTILE.replace("\u202e", "\\u202e").replace("\u202c", "\\u202c").replace("\x00", "\\x00").replace(
        "\ud800", "\\ud800"
    )
    tags = "script, iframe, img, base, meta[http-equiv=refresh], [onerror], [onload], [onfocus], a:not([href^='#'])"
    assert len(driver.find_elements("css selector", tags)) == 1  # the page's own script


def test_the_policy_would_stop_what_got_in(open_page: Open, placing: dict[str, Any]) -> None:
    driver = open_page(placing)
    driver.execute_script(
        """const script = document.createElement("script"); script.textContent = "window.hit = 1";
        document.body.append(script); const image = new Image(); image.src = "http://127.0.0.1:9/x.png";
        document.body.append(image)"""
    )
    assert driver.execute_script("return window.hit") is None
    assert any("Content Security Policy" in message for message in errors(driver))


def test_a_lost_entry_is_found_by_typing_part_of_it(open_page: Open) -> None:
    driver = open_page(long_chat(400))
    press(driver, "/")
    assert focused(driver) == "find"
    press(driver, "lore/23")
    rows = [row for row in driver.find_elements("css selector", "tbody tr") if row.is_displayed()]
    assert [row.find_element("tag name", "a").text for row in rows] == ["lore/23"]
    assert driver.find_element("id", "found").text == "1 of 40, in 1 message"
    press(driver, "\ue007")
    assert "Lore 23." in driver.switch_to.active_element.text
    press(driver, "/")
    press(driver, "no such thing")
    driver.execute_script(
        "const f = document.getElementById('find'); f.value = 'no such'; f.dispatchEvent(new Event('input'))"
    )
    assert driver.find_element("id", "nothing").is_displayed()
    press(driver, "\ue00c")
    assert len([row for row in driver.find_elements("css selector", "tbody tr") if row.is_displayed()]) == 40


def test_keys_step_through_messages_and_blocks(open_page: Open, placing: dict[str, Any]) -> None:
    driver = open_page(placing)
    press(driver, "j")
    first = focused(driver)
    assert first.startswith("m")
    press(driver, "j")
    assert focused(driver) == f"m{int(first[1:]) + 1}"
    press(driver, "k")
    assert focused(driver) == first
    press(driver, "n")
    press(driver, "n")
    at = driver.switch_to.active_element
    assert at.tag_name == "mark" or "made" in at.get_attribute("class")


def test_everything_is_reached_with_the_tab_key(open_page: Open, placing: dict[str, Any]) -> None:
    driver = open_page(placing)
    press(driver, "\ue004")
    assert driver.switch_to.active_element.get_attribute("class") == "skip"
    reached = set()
    for _ in range(60):
        press(driver, "\ue004")
        reached.add(driver.switch_to.active_element.get_attribute("hash") or focused(driver))
    assert {"find", "#m0", "#m15", "#e1"} <= reached


def test_dark_and_light_are_readable(open_page: Open, placing: dict[str, Any]) -> None:
    driver = open_page(placing)
    ratios = """
        const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
        const rgb = (colour, under) => { canvas.fillStyle = under; canvas.fillRect(0, 0, 1, 1); canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
        const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
            if (c !== "rgba(0, 0, 0, 0)") return c; } return "white"; };
        const found = {};
        for (const e of document.querySelectorAll(".text, .role, .id, .facts span, .size, .tag, .anchor, .index, .lede, .label, small, td a, th a, .sources li span, .keys")) {
            const back = behind(e), a = light(rgb(back, "white")), b = light(rgb(getComputedStyle(e).color, back));
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            const name = e.className || e.tagName; found[name] = Math.min(found[name] ?? 99, ratio);
        }
        return found;"""
    for scheme in ("light", "dark"):
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        found = driver.execute_script(ratios)
        assert found
        assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}, scheme
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_narrow_window_does_not_scroll_sideways(open_page: Open, placing: dict[str, Any]) -> None:
    placing["blocks"][0]["content"] = "unbroken" * 200
    placing["blocks"][1]["id"] = "unbroken/" * 30
    driver = open_page(placing)
    for width in (360, 700, 1300):
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False},
        )
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_print_opens_what_is_folded(open_page: Open) -> None:
    request = {"messages": [{"role": "user", "content": "word " * 2_000}], "blocks": [], "layout": {}}
    driver = open_page(request)
    assert not driver.find_element("tag name", "details").get_attribute("open")
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert driver.find_element("tag name", "details").get_attribute("open")
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert not driver.find_element("tag name", "details").get_attribute("open")
    assert len(driver.execute_cdp_cmd("Page.printToPDF", {})["data"]) > 1_000


def test_two_thousand_messages_open_and_are_all_there(open_page: Open) -> None:
    driver = open_page(long_chat(2_000))
    assert len(driver.find_elements("css selector", "li.message")) == 2_200
    driver.find_element("css selector", "#r100 a").click()
    assert is_in_view(driver, driver.find_element("css selector", "#r100 a").get_attribute("href").split("#")[1])
    assert errors(driver) == []


def test_the_previous_prompt_is_compared(open_page: Open, placing: dict[str, Any]) -> None:
    before = place_context_blocks(placing["messages"], placing["blocks"][1:], placing["layout"])
    driver = open_page(placing, previous=before)
    section = driver.find_element("class name", "compared")
    assert "message 0" in section.text
    assert "world/grey-point" in section.text
    section.find_element("tag name", "a").click()
    assert focused(driver) == "m0"
