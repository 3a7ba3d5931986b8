"""The shows of the examples, one for each program, under its name."""

from examples.shows.click_sessions import ClickSessions
from examples.shows.fraud_detection import FraudDetection
from examples.shows.late_data import LateData
from examples.shows.order_enrichment import OrderEnrichment
from examples.shows.order_pipeline import OrderPipeline
from examples.shows.payment_matching import PaymentMatching
from examples.shows.user_analytics import UserAnalytics
from examples.shows.word_count import WordCount
from examples.stage.show import Show

SHOWS: dict[str, type[Show]] = {
    show.name: show
    for show in (
        WordCount,
        FraudDetection,
        OrderPipeline,
        PaymentMatching,
        OrderEnrichment,
        ClickSessions,
        UserAnalytics,
        LateData,
    )
}
