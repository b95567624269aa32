"""The examples that take a model run with the bundled ones, and show what they promise."""

from __future__ import annotations

import json

import jsonschema
import pytest

from examples import classify_intents, extract_json, proxy_tune, steer_toxicity, steered_record
from guidance_kit.evaluation.sets import World
from guidance_kit.models.loading import BUNDLED, bundled_models
from tools.family import FAMILY

family = pytest.mark.skipif(
    not set(FAMILY) <= set(bundled_models()), reason="the family is not in this checkout; tools/train_family makes it"
)


@family
@pytest.mark.slow
def test_steered_replies_have_fewer_rude_words(capsys) -> None:
    steer_toxicity.main(samples=4)
    before, after = (line for line in capsys.readouterr().out.splitlines() if "replies have a rude word" in line)
    assert int(after.split()[3].rstrip("%")) < int(before.split()[2].rstrip("%"))


@pytest.mark.skipif(BUNDLED not in bundled_models(), reason="no bundled model in this checkout")
def test_records_come_from_the_texts_that_a_retriever_finds(capsys) -> None:
    pytest.importorskip("bm25s")
    from examples import retrieve_and_extract

    retrieve_and_extract.main(k=1)
    name, record = capsys.readouterr().out.splitlines()
    assert name == "03-cracked-mug.txt"
    found = json.loads(record)
    assert found["intent"] == "damaged_item"
    source = (retrieve_and_extract.MESSAGES / name).read_text(encoding="utf-8")
    assert found["name"] in source
    assert found["product"] in source
    retriever = retrieve_and_extract.Retriever(["the mug is blue", "a parcel", "no word"])
    assert retriever.best("mug of a parcel", 3) in ([0, 1], [1, 0])


@pytest.mark.slow
@family
def test_retrieved_labels_help_classification(capsys) -> None:
    pytest.importorskip("bm25s")
    from examples import retrieve_and_classify

    retrieve_and_classify.main()
    before, after = (int(line.split(": ")[1].split()[0]) for line in capsys.readouterr().out.splitlines())
    assert before < after
    retrieve_and_classify.main(["I would like to know where my parcel is."], known=1000)
    assert capsys.readouterr().out == "order status: I would like to know where my parcel is.\n"


@pytest.mark.slow
@family
def test_replies_are_shown_before_and_after_proxy_tuning(capsys) -> None:
    proxy_tune.main()
    assert capsys.readouterr().out.count("after:   ") == len(proxy_tune.MESSAGES)


@pytest.mark.slow
@family
def test_steered_records_are_valid_and_civil(capsys) -> None:
    steered_record.main()
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("  {")]
    assert len(records) == len(steered_record.MESSAGES)
    for record in records:
        jsonschema.validate(record, steered_record.SCHEMA)
        assert not World.bundled().is_rude(record["reply"])


@family
def test_every_message_is_classified(capsys) -> None:
    classify_intents.main()
    found = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("  ")]
    assert len(found) == len(classify_intents.MESSAGES)


@pytest.mark.skipif(BUNDLED not in bundled_models(), reason="no bundled model in this checkout")
def test_records_are_extracted(capsys) -> None:
    extract_json.main()
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("  {")]
    assert [record["intent"] for record in records] == ["late_delivery", "refund_request", "damaged_item"]
    assert records[1]["amount"] == 49.9
