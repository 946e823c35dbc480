"""What `pygeodesign.planning` answers: a file per group of questions, over data that a comparison has downloaded."""

from pygeodesign._planning.agreement import AgreementQuestions
from pygeodesign._planning.alliances import AllianceQuestion
from pygeodesign._planning.cash import CashQuestions
from pygeodesign._planning.conflicts import ConflictQuestions
from pygeodesign._planning.explained import ExplanationQuestion
from pygeodesign._planning.money import MoneyQuestions
from pygeodesign._planning.optimum import OptimumQuestion
from pygeodesign._planning.pareto import ParetoQuestion
from pygeodesign._planning.stock import StockQuestions
from pygeodesign._planning.suitability import SuitabilityQuestions
from pygeodesign._planning.swaps import SwapQuestion
from pygeodesign._planning.targets import TargetQuestions
from pygeodesign._planning.uncertainty import UncertaintyQuestions
from pygeodesign._planning.weighing import WeighingQuestions
from pygeodesign._planning.what_if import WhatIfQuestion


class Questions(
    WhatIfQuestion,
    AllianceQuestion,
    AgreementQuestions,
    SwapQuestion,
    ParetoQuestion,
    ConflictQuestions,
    SuitabilityQuestions,
    TargetQuestions,
    MoneyQuestions,
    OptimumQuestion,
    ExplanationQuestion,
    UncertaintyQuestions,
    CashQuestions,
    StockQuestions,
    WeighingQuestions,
):
    """All questions; `pygeodesign.planning.Comparison` shows the answers, too."""
